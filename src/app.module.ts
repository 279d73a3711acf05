import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from './kernel/config/settings.js';
import type { Store } from './kernel/database/store.js';
import { HttpEdges } from './kernel/http/edges.js';
import { KernelModule } from './kernel/kernel.module.js';
import type { Log } from './kernel/log/log.js';
import { MessagingModule } from './messaging/messaging.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { TrackerModule } from './tracker/tracker.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Everything, composed. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, store: Store, log: Log, edges: HttpEdges): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.forRoot(settings, store, log, edges),
        WebhooksModule,
        MessagingModule,
        TrackerModule,
        TenantsModule,
      ],
    };
  }
}
