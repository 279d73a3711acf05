import { Module } from '@nestjs/common';
import { UsergroupsController } from './usergroups.controller.js';

@Module({ controllers: [UsergroupsController] })
export class UsergroupsModule {}
