import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { FLAGS_NOW } from '../../kernel/sandbox/turns.queries.js';
import { joinerOf, type Viewer } from '../access/viewer.js';
import type { Organization } from '../store/organization.entity.js';
import type { User } from '../store/user.entity.js';
import { webFor } from '../values/urls.js';

/** Of the events that tell who has come, changed or gone where nobody of the organization has called. */
@Injectable()
export class Joining {
  constructor(
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly sandboxes: SandboxReader,
  ) {}

  /** As whom it is told: the user themselves. */
  async settingOf(tx: Tx, organization: Organization, user: User): Promise<{ viewer: Viewer; web: string; at: Date }> {
    const [row] = await tx.query<{ flags: string }>(FLAGS_NOW, [organization.tenantId]);
    const viewer = { ...joinerOf(organization, user), sandbox: this.sandboxes.read(row?.flags ?? null) };
    return { viewer, web: webFor(this.publicUrl.base, viewer), at: this.clock.now() };
  }
}
