import { TrackerView } from './sandbox/tracker-view.js';
import { EntityNeeds } from './entity/service.js';
import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HeaderCredentials } from '../kernel/http/header-credentials.js';
import { Access } from './access/access.js';
import { AssetSignatures } from './access/asset-signatures.js';
import { Callers } from './access/callers.js';
import { Searching } from './query/searching.js';
import { RequestLoading } from './query/loaders.js';
import { TrackerSetup } from './provisioning/setup.js';
import { TrackerEvents } from './events/sync.js';
import { ClockWorks } from './events/clock-work.js';
import { Joining } from './events/joining.js';
import { Viewers } from './access/viewer.js';

const sharedProviders = [
  TrackerView,
  Access,
  AssetSignatures,
  Callers,
  ClockWorks,
  Joining,
  EntityNeeds,
  RequestLoading,
  Searching,
  TrackerEvents,
  TrackerSetup,
  Viewers,
];

/** Access to the tracker's entities and what all its folders need; can be injected in all of them. */
@Global()
@Module({ imports: [AuthModule], providers: sharedProviders, exports: [AuthModule, ...sharedProviders] })
export class TrackerCoreModule {
  constructor(credentials: HeaderCredentials, callers: Callers) {
    credentials.register((headers) => callers.know(headers.authorization ?? ''));
  }
}
