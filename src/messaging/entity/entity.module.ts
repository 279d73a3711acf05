import { Module } from '@nestjs/common';
import { EntityController } from './entity.controller.js';

@Module({ controllers: [EntityController] })
export class EntityModule {}
