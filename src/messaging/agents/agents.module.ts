import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { AgentsController } from './agents.controller.js';
import { Agents } from './agents.service.js';

@Module({ imports: [ChatModule], controllers: [AgentsController], providers: [Agents] })
export class AgentsModule {}
