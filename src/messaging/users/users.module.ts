import { Module } from '@nestjs/common';
import { UsersController } from './users.controller.js';
import { UserConversations } from './user-conversations.service.js';
import { UsersService } from './users.service.js';

@Module({ controllers: [UsersController], providers: [UsersService, UserConversations] })
export class UsersModule {}
