import { Module } from '@nestjs/common';
import { UsergroupsController } from './usergroups.controller.js';
import { UsergroupsService } from './usergroups.service.js';

@Module({ controllers: [UsergroupsController], providers: [UsergroupsService] })
export class UsergroupsModule {}
