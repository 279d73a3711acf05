import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { brokenRule, duplicate, forbidden } from '../../values/errors.js';
import { mutate } from '../../store/mutation.js';
import { User } from './user.entity.js';
import { differences } from '../../store/differences.js';
import { userEvent } from '../../events/user-events.js';
import type { Viewer } from '../../access/viewer.js';
import type { UserUpdateInput } from './users.inputs.js';

const OTHER_OWNERS = statement(
  'tracker_other_owners',
  'SELECT 1 FROM tracker_users WHERE organization_id = $1 AND id <> $2 AND owner AND active LIMIT 1',
);

/** Of another user of the organization, whatever its case. */
const TAKEN_DISPLAY_NAME = statement(
  'tracker_taken_display_name',
  'SELECT 1 FROM tracker_users WHERE organization_id = $1 AND lower(display_name) = lower($2) AND id <> $3',
);

@Injectable()
export class UsersService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws notFound; forbidden; duplicate `display name` */
  update(viewer: Viewer, id: string, input: UserUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      // display names are unique over the organization: who writes one queues at its row
      if (input.displayName !== undefined) await this.access.organizationForUpdate(tx, viewer);
      const before = await this.access.users.forUpdate(tx, viewer, id);
      if (before.id !== viewer.userId && !viewer.admin) {
        throw forbidden('You need to be an admin to change other users.');
      }
      const change = differences(before, input as Partial<User>);
      if (change.displayName !== undefined) {
        const taken = await tx.query(TAKEN_DISPLAY_NAME, [viewer.organizationId, change.displayName, before.id]);
        if (taken.length > 0) throw duplicate('display name', change.displayName);
      }
      return { user: await this.change(tx, viewer, before, change) };
    });
  }

  /** Ends all access of a user. @throws forbidden; notFound; brokenRule on oneself and on the last owner */
  suspend(viewer: Viewer, id: string) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => {
      // two owners who suspend each other: one of them stays
      await this.access.organizationForUpdate(tx, viewer);
      const before = await this.access.users.forUpdate(tx, viewer, id);
      if (before.id === viewer.userId) throw brokenRule('cannot suspend oneself', 'You cannot suspend yourself.');
      if (before.owner && (await tx.query(OTHER_OWNERS, [viewer.organizationId, before.id])).length === 0) {
        throw brokenRule('cannot suspend the last owner', 'The last owner of an organization cannot be suspended.');
      }
      return { user: await this.change(tx, viewer, before, { active: false, disableReason: 'admin' }) };
    });
  }

  /** @throws forbidden; notFound */
  unsuspend(viewer: Viewer, id: string) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => {
      const before = await this.access.users.forUpdate(tx, viewer, id);
      return { user: await this.change(tx, viewer, before, { active: true, disableReason: null }) };
    });
  }

  /** Before the id is looked for: only admins learn whether it is one (docs/reference/tracker.md#team). */
  private requireAdmin(viewer: Viewer): void {
    if (!viewer.admin) throw forbidden('You need to be an admin to suspend users.');
  }

  private async change(tx: Tx, viewer: Viewer, before: User, wanted: Partial<User>): Promise<User> {
    const change = differences(before, wanted);
    if (Object.keys(change).length === 0) return before;
    const at = this.clock.now();
    const values = { ...change, updatedAt: at };
    await tx.sql.update(User, { id: before.id }, values);
    const after = { ...before, ...values };
    tx.record(userEvent({ viewer, web: this.publicUrl.base, at }, after, before));
    return after;
  }
}
