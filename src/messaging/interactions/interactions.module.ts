import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { ChatModule } from '../chat/chat.module.js';
import { InteractionsController } from './interactions.controller.js';
import { Interactions } from './interactions.service.js';
import { ResponseEdge } from './response-edge.js';
import { Responses } from './responses.service.js';

@Module({ imports: [ChatModule], controllers: [InteractionsController], providers: [Interactions, Responses] })
export class InteractionsModule {
  constructor(edges: HttpEdges, log: Log) {
    edges.add(new ResponseEdge(log));
  }
}
