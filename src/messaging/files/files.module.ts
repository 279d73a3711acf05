import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { FileTransfer } from './file-transfer.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';

@Module({ imports: [ChatModule], controllers: [FilesController], providers: [FilesService, FileTransfer] })
export class FilesModule {}
