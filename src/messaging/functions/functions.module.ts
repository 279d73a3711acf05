import { Module } from '@nestjs/common';
import { FunctionsController } from './functions.controller.js';

@Module({ controllers: [FunctionsController] })
export class FunctionsModule {}
