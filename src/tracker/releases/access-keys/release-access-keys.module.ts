import { Module } from '@nestjs/common';
import { ReleaseAccessKeysController } from './release-access-keys.controller.js';
import { ReleaseAccessKeysService } from './release-access-keys.service.js';

@Module({ controllers: [ReleaseAccessKeysController], providers: [ReleaseAccessKeysService] })
export class ReleaseAccessKeysModule {}
