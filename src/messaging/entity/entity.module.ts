import { Module } from '@nestjs/common';
import { EntityRequests } from './entity-requests.js';
import { EntityController } from './entity.controller.js';

@Module({ controllers: [EntityController], providers: [EntityRequests], exports: [EntityRequests] })
export class EntityModule {}
