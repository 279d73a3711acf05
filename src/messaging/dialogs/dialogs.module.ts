import { Module } from '@nestjs/common';
import { DialogsController } from './dialogs.controller.js';

@Module({ controllers: [DialogsController] })
export class DialogsModule {}
