import { Module } from '@nestjs/common';
import { ChatController } from './chat.controller.js';
import { ChatService } from './chat.service.js';
import { Revisions } from './revisions.service.js';

@Module({ controllers: [ChatController], providers: [ChatService, Revisions], exports: [ChatService, Revisions] })
export class ChatModule {}
