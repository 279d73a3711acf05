import { Module } from '@nestjs/common';
import { AppsController } from './apps.controller.js';
import { Apps } from './apps.service.js';

@Module({ controllers: [AppsController], providers: [Apps] })
export class AppsModule {}
