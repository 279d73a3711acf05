import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { Log } from '../../kernel/log/log.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { InstallationEnds } from './installation-ends.js';
import type { WorkspaceOfTenant } from './installations.js';
import { ORPHANS } from './installing.queries.js';

const EVERY_MS = 60_000;

/** Apps in other workspaces than their home: they end where their registration is gone. */
@Injectable()
export class GuestApps {
  constructor(
    private readonly db: Db,
    private readonly ends: InstallationEnds,
    private readonly log: Log,
    resets: SandboxResets,
    upkeep: Upkeep,
  ) {
    resets.onAppsWent(() => this.endOrphans());
    // what a process that died left behind
    upkeep.register('ending apps whose registration is gone', EVERY_MS, () => this.endOrphans());
  }

  async endOrphans(): Promise<void> {
    const orphans = await this.db.read<WorkspaceOfTenant & Record<string, unknown> & { id: string }>(ORPHANS);
    for (const orphan of orphans) await this.ends.removeFrom(orphan, orphan.id);
  }

  /** A home is gone: nobody waits for what that means elsewhere. */
  endOrphansSoon(): void {
    this.endOrphans().catch((error: unknown) => this.log.warn('apps of a deleted workspace stay elsewhere', { error }));
  }
}
