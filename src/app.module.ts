import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from './kernel/config/settings.js';
import type { Store } from './kernel/database/store.js';
import { HttpEdges } from './kernel/http/edges.js';
import { KernelModule } from './kernel/kernel.module.js';
import type { Log } from './kernel/log/log.js';
import { MessagingModule } from './messaging/messaging.module.js';
import { OauthModule } from './oauth/oauth.module.js';
import { SidebarModule } from './messaging/sidebar/sidebar.module.js';
import { SandboxDeliveriesModule } from './sandbox/deliveries/deliveries.module.js';
import { SandboxInstallingModule } from './sandbox/installing/installing.module.js';
import { InboxesModule } from './sandbox/inboxes/inboxes.module.js';
import { SandboxLimitsModule } from './sandbox/limits/sandbox-limits.module.js';
import { SandboxStreamsModule } from './sandbox/streams/sandbox-streams.module.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { ChangesModule } from './sandbox/changes/changes.module.js';
import { TimelineModule } from './sandbox/timeline/timeline.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { TrackerModule } from './tracker/tracker.module.js';
import { UiModule } from './ui/ui.module.js';
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
        OauthModule,
        MessagingModule,
        TrackerModule,
        TenantsModule,
        SandboxModule,
        SandboxDeliveriesModule,
        TimelineModule,
        ChangesModule,
        InboxesModule,
        SandboxInstallingModule,
        SandboxLimitsModule,
        SandboxStreamsModule,
        ...(settings.mode === 'full' ? [UiModule, SidebarModule] : []),
      ],
    };
  }
}
