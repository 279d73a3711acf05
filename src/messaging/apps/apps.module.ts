import { Module } from '@nestjs/common';
import { AppsController } from './apps.controller.js';
import { AppDetails } from './app-details.service.js';
import { AppAdministration } from './app-administration.service.js';
import { KnownScopes } from './known-scopes.js';
import { Apps } from './apps.service.js';

@Module({ controllers: [AppsController], providers: [AppAdministration, AppDetails, Apps, KnownScopes] })
export class AppsModule {}
