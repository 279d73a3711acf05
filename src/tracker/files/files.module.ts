import { Module } from '@nestjs/common';
import { FileTransfer } from './file-transfer.js';
import { FilesResolver } from './files.resolver.js';
import { FilesService } from './files.service.js';
import { ImageLoading } from './image-loading.js';

/** Files that are uploaded to an organization. */
@Module({ providers: [FilesService, FileTransfer, FilesResolver, ImageLoading] })
export class TrackerFilesModule {}
