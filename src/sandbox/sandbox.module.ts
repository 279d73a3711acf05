import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { NamedThings } from './access/named-things.js';
import { SandboxAccess } from './access/sandbox-access.js';
import { SandboxClockController } from './clock/clock.controller.js';
import { SandboxClocks } from './clock/clock.service.js';
import { McpUrlEndpoint } from './mcp-urls/mcp-url-endpoint.js';
import { McpUrlsController } from './mcp-urls/mcp-urls.controller.js';
import { McpUrls } from './mcp-urls/mcp-urls.service.js';
import { PoolFilling } from './pools/pool-filling.js';
import { PoolsController } from './pools/pools.controller.js';
import { Pools } from './pools/pools.service.js';
import { SandboxJournal, SandboxParts } from './ports.js';
import { SandboxesController } from './sandboxes/sandboxes.controller.js';
import { Sandboxes } from './sandboxes/sandboxes.service.js';
import { SandboxView } from './sandboxes/sandbox-view.js';
import { UiLinkController } from './sandboxes/ui-link.controller.js';
import { ScriptLoop } from './scripts/script-loop.js';
import { ScriptMatching } from './scripts/script-matching.js';
import { ScriptRuns } from './scripts/script-runs.js';
import { ScriptsController } from './scripts/scripts.controller.js';
import { Scripts } from './scripts/scripts.service.js';
import { describeThings } from './seeds/describe-things.js';
import { SeedsController } from './seeds/seeds.controller.js';
import { ImageThinning } from './snapshots/image-thinning.js';
import { SnapshotsController } from './snapshots/snapshots.controller.js';
import { Snapshots } from './snapshots/snapshots.service.js';
import { SandboxStates } from './state/sandbox-states.js';
import { StateController } from './state/state.controller.js';
import { Replays } from './timeline/replays.js';
import { TimelineModule } from './timeline/timeline.module.js';

const shared = [
  NamedThings,
  SandboxAccess,
  SandboxJournal,
  SandboxParts,
  SandboxView,
  Sandboxes,
  Snapshots,
  ImageThinning,
  SandboxClocks,
  Replays,
  SandboxStates,
  McpUrls,
];

/**
 * What test suites need of a shared fake. Parts with modules of their own (timeline, faults …) use what this provides.
 */
@Global()
@Module({
  imports: [DiscoveryModule, AuthModule, TenantsModule, TimelineModule],
  controllers: [
    SandboxesController,
    UiLinkController,
    SnapshotsController,
    SandboxClockController,
    SeedsController,
    StateController,
    McpUrlsController,
    ScriptsController,
    PoolsController,
  ],
  providers: [...shared, McpUrlEndpoint, PoolFilling, Pools, Scripts, ScriptLoop, ScriptMatching, ScriptRuns],
  exports: shared,
})
export class SandboxModule {
  constructor() {
    describeThings();
  }
}
