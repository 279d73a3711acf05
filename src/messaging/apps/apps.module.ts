import { Module } from '@nestjs/common';
import { AppsController } from './apps.controller.js';
import { AppDetails } from './app-details.service.js';
import { AppAdministration } from './app-administration.service.js';
import { ConfigTokenRotation } from './config-token-rotation.js';
import { EventAuthorizationsController } from './event-authorizations.controller.js';
import { EventAuthorizations } from './event-authorizations.service.js';
import { KnownScopes } from './known-scopes.js';
import { ManifestsController } from './manifests.controller.js';
import { Manifests } from './manifests.service.js';
import { RegistrationsController } from './registrations.controller.js';
import { Registrations } from './registrations.service.js';
import { Apps } from './apps.service.js';

@Module({
  controllers: [AppsController, EventAuthorizationsController, ManifestsController, RegistrationsController],
  providers: [
    AppAdministration,
    AppDetails,
    Apps,
    ConfigTokenRotation,
    EventAuthorizations,
    KnownScopes,
    Manifests,
    Registrations,
  ],
})
export class AppsModule {}
