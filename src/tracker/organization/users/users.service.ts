import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { brokenRule, duplicate, forbidden } from '../../values/errors.js';
import { mutate } from '../../store/mutation.js';
import { User } from './user.entity.js';
import { differences } from '../../store/differences.js';
import { userEvent } from '../../events/user-events.js';
import type { Viewer } from '../../access/viewer.js';
import type { UserUpdateInput } from './users.inputs.js';
import { isDisplayNameTaken } from './users.queries.js';
import { webFor } from '../../values/urls.js';

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
      // display names are unique in the organization: writers are serialized by its row
      if (input.displayName !== undefined) await this.access.organizationForUpdate(tx, viewer);
      const before = await this.access.users.forUpdate(tx, viewer, id);
      if (before.id !== viewer.userId && !viewer.admin) {
        throw forbidden('You need to be an admin to change other users.');
      }
      const change = differences(before, input as Partial<User>);
      if (change.displayName !== undefined) {
        if (await isDisplayNameTaken(tx, before, change.displayName)) {
          throw duplicate('display name', change.displayName);
        }
      }
      return { user: await this.change(tx, viewer, before, change) };
    });
  }

  /** Ends all access of a user. @throws forbidden; notFound; brokenRule on oneself and on the last owner */
  suspend(viewer: Viewer, id: string) {
    this.requireAdmin(viewer);
    return mutate(this.db, viewer, async (tx) => {
      // two owners suspending each other: one of them stays
      await this.access.organizationForUpdate(tx, viewer);
      const before = await this.access.users.forUpdate(tx, viewer, id);
      if (before.id === viewer.userId) throw brokenRule('cannot suspend oneself', 'You cannot suspend yourself.');
      const others = { organizationId: viewer.organizationId, id: Not(before.id), owner: true, active: true };
      if (before.owner && !(await tx.sql.existsBy(User, others))) {
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

  /** Before the id is looked up: only admins learn whether it exists (docs/reference/tracker.md#team). */
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
    tx.record(userEvent({ viewer, web: webFor(this.publicUrl.base, viewer), at }, after, before));
    return after;
  }
}
