import { Module } from '@nestjs/common';
import { BotsController } from './bots.controller.js';

@Module({ controllers: [BotsController] })
export class BotsModule {}
