import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { FileTransfer } from './file-transfer.js';
import { FilesController } from './files.controller.js';
import { FileListsService } from './file-lists.service.js';
import { FilesService } from './files.service.js';
import { PublicFilesService } from './public-files.service.js';

@Module({
  imports: [ChatModule],
  controllers: [FilesController],
  providers: [FilesService, FileListsService, PublicFilesService, FileTransfer],
})
export class FilesModule {}
