import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { Clock } from './clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from './config/settings.js';
import { Db } from './database/db.js';
import { InstanceSecrets } from './database/instance-secrets.js';
import { StoreMaintenance } from './database/maintenance.js';
import { StoredSecrets } from './database/stored-secrets.js';
import { StoreInfo } from './database/store-info.js';
import { StoreWatch } from './database/store-watch.js';
import type { Store } from './database/store.js';
import { BatchedWrites } from './events/batched-writes.js';
import { EventLog } from './events/event-log.js';
import { EventTail } from './events/event-tail.js';
import { Wakeups } from './events/wakeups.js';
import { BrowserAddress } from './http/browser-address.js';
import { ClientAddresses } from './http/client-addresses.js';
import { Calls } from './http/calls.js';
import { CallsUnderWay } from './http/calls-under-way.js';
import { KnownCallers } from './http/known-callers.js';
import { HttpEdges } from './http/edges.js';
import { HeaderCredentials } from './http/header-credentials.js';
import { KnownNames } from './sandbox/known-names.js';
import { InstallationTold } from './sandbox/installation-told.js';
import { SandboxViews } from './sandbox/sandbox-views.js';
import { ErrorFilter } from './http/error.filter.js';
import { HealthController } from './http/health.controller.js';
import { Lifecycle } from './http/lifecycle.js';
import { RequestOrigins } from './http/request-origins.js';
import { PublicUrl } from './http/public-url.js';
import { LimitsModule } from './limits/limits.module.js';
import { Log } from './log/log.js';
import { ToolServers } from './mcp/tool-servers.js';
import { RealtimeModule } from './realtime/realtime.module.js';
import { ProductActs } from './sandbox/product-acts.js';
import { SandboxDues } from './sandbox/sandbox-dues.js';
import { SandboxStreams } from './sandbox/sandbox-streams.js';
import { SandboxResets } from './sandbox/sandbox-resets.js';
import { CallSteps } from './sandbox/call-steps.js';
import { Turns } from './sandbox/turns.js';
import { SandboxReader } from './sandbox/sandbox-flags.js';
import { FillingTurns } from './tenancy/filling-turns.js';
import { TenantChanges } from './tenancy/tenant-changes.js';
import { TenantEnding } from './tenancy/tenant-ending.js';
import { TenantMaking } from './tenancy/tenant-making.js';
import { TenantMemories } from './tenancy/tenant-memory.js';
import { TenantShares } from './tenancy/tenant-shares.js';
import { Metrics } from './metrics/metrics.js';
import { Upkeep } from './database/upkeep.js';

/** What both products are built on; its providers can be injected everywhere. */
@Module({})
export class KernelModule {
  static forRoot(settings: Settings, store: Store, log: Log, edges: HttpEdges): DynamicModule {
    const providers = [
      { provide: SETTINGS_TOKEN, useValue: settings },
      { provide: DataSource, useValue: store.dataSource },
      { provide: InstanceSecrets, useValue: store.secrets },
      { provide: StoredSecrets, useValue: new StoredSecrets(settings.secretKeys) },
      { provide: StoreInfo, useValue: new StoreInfo(store.embedded, settings.databaseUrl, store.isConcurrent) },
      { provide: Log, useValue: log },
      { provide: HttpEdges, useValue: edges },
      Calls,
      CallsUnderWay,
      KnownCallers,
      HeaderCredentials,
      KnownNames,
      SandboxViews,
      ToolServers,
      InstallationTold,
      ProductActs,
      SandboxDues,
      SandboxStreams,
      SandboxResets,
      Clock,
      CallSteps,
      Turns,
      SandboxReader,
      FillingTurns,
      TenantChanges,
      TenantMemories,
      TenantEnding,
      TenantShares,
      Db,
      TenantMaking,
      EventLog,
      BatchedWrites,
      Wakeups,
      EventTail,
      StoreMaintenance,
      StoreWatch,
      PublicUrl,
      RequestOrigins,
      ClientAddresses,
      BrowserAddress,
      Lifecycle,
      Metrics,
      Upkeep,
    ];
    return {
      module: KernelModule,
      global: true,
      imports: [LimitsModule.forStore({ embedded: store.embedded }), RealtimeModule],
      controllers: [HealthController],
      providers: [...providers, { provide: APP_FILTER, useClass: ErrorFilter }],
      exports: providers,
    };
  }
}
