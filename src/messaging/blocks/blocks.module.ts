import { Module } from '@nestjs/common';
import { BlocksController } from './blocks.controller.js';

@Module({ controllers: [BlocksController] })
export class BlocksModule {}
