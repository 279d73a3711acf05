import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { AssistantController } from './assistant.controller.js';
import { Assistant } from './assistant.service.js';

@Module({ imports: [ChatModule], controllers: [AssistantController], providers: [Assistant] })
export class AssistantModule {}
