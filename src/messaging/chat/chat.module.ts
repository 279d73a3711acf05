import { Module } from '@nestjs/common';
import { AgentSessions } from './agent-sessions.js';
import { ChatController } from './chat.controller.js';
import { ChatService } from './chat.service.js';
import { EphemeralPosts } from './ephemeral.service.js';
import { NameLinks } from './name-links.js';
import { Permalinks } from './permalinks.service.js';
import { RepeatedPosts } from './repeated-posts.js';
import { Revisions } from './revisions.service.js';
import { ScheduledMessages } from './scheduled.service.js';
import { Unfurls } from './unfurl.service.js';

@Module({
  controllers: [ChatController],
  providers: [
    AgentSessions,
    ChatService,
    EphemeralPosts,
    NameLinks,
    Permalinks,
    RepeatedPosts,
    Revisions,
    ScheduledMessages,
    Unfurls,
  ],
  exports: [AgentSessions, ChatService, Revisions, ScheduledMessages],
})
export class ChatModule {}
