import { Module } from '@nestjs/common';
import { FunctionExecutions } from './function-executions.js';
import { FunctionsController } from './functions.controller.js';

@Module({ controllers: [FunctionsController], providers: [FunctionExecutions], exports: [FunctionExecutions] })
export class FunctionsModule {}
