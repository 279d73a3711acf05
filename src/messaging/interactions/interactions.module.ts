import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { ChatModule } from '../chat/chat.module.js';
import { ResponseUrls } from '../surfaces/response-urls.js';
import { DialogActions } from './dialog-actions.service.js';
import { InteractionCalls } from './interaction-calls.js';
import { InteractionsController } from './interactions.controller.js';
import { Interactions } from './interactions.service.js';
import { MessageActions } from './message-actions.service.js';
import { ResponseActions } from './response-actions.service.js';
import { ResponseEdge } from './response-edge.js';
import { Responses } from './responses.service.js';
import { Shortcuts } from './shortcuts.service.js';
import { Suggestions } from './suggestions.service.js';
import { ViewActions } from './view-actions.service.js';

const played = [DialogActions, MessageActions, ViewActions, Suggestions, Shortcuts];

@Module({
  imports: [ChatModule],
  controllers: [InteractionsController],
  providers: [InteractionCalls, Interactions, ResponseActions, Responses, ...played],
  exports: played,
})
export class InteractionsModule {
  constructor(edges: HttpEdges, urls: ResponseUrls, log: Log) {
    edges.add(new ResponseEdge(urls, log));
    edges.addForm('/api/interactions');
  }
}
