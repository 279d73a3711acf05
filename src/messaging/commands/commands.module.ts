import { Module } from '@nestjs/common';
import { CommandsController } from './commands.controller.js';
import { Commands } from './commands.service.js';

@Module({ controllers: [CommandsController], providers: [Commands], exports: [Commands] })
export class CommandsModule {}
