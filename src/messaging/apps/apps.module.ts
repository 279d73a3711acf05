import { Module } from '@nestjs/common';
import { AppsController } from './apps.controller.js';
import { AppDetails } from './app-details.service.js';
import { AppAdministration } from './app-administration.service.js';
import { KnownScopes } from './known-scopes.js';
import { RegistrationsController } from './registrations.controller.js';
import { Registrations } from './registrations.service.js';
import { Apps } from './apps.service.js';

@Module({
  controllers: [AppsController, RegistrationsController],
  providers: [AppAdministration, AppDetails, Apps, KnownScopes, Registrations],
})
export class AppsModule {}
