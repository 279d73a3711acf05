import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { brokenRule, duplicate, forbidden } from '../../values/errors.js';
import { mutate } from '../../events/mutation.js';
import { User } from '../../store/user.entity.js';
import { UserRoleType } from './users.types.js';
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
      if (before.owner && !(await isOwnedByAnother(tx, before))) {
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

  /** @throws forbidden; notFound; brokenRule for an application's user or role, and on the last owner */
  changeRole(viewer: Viewer, id: string, role: UserRoleType) {
    this.requireAdmin(viewer, 'change roles');
    return mutate(this.db, viewer, async (tx) => {
      // two owners who take each other's role: one of them stays
      await this.access.organizationForUpdate(tx, viewer);
      const before = await this.access.users.forUpdate(tx, viewer, id);
      if (role === UserRoleType.app || before.applicationId !== null)
        throw brokenRule('role of an application', 'An application is given its role by its installation.');
      if (before.owner && role !== UserRoleType.owner && !(await isOwnedByAnother(tx, before)))
        throw brokenRule('cannot demote the last owner', 'The last owner of an organization keeps that role.');
      const owner = role === UserRoleType.owner;
      const admin = owner || role === UserRoleType.admin;
      return {
        user: await this.change(tx, viewer, before, { owner, admin, allPublicTeams: role !== UserRoleType.guest }),
      };
    });
  }

  /** Before the id is looked up: only admins learn whether it exists (docs/reference/tracker.md#team). */
  private requireAdmin(viewer: Viewer, to = 'suspend users'): void {
    if (!viewer.admin) throw forbidden(`You need to be an admin to ${to}.`);
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

/** Whether the organization has an active owner besides. */
const isOwnedByAnother = (tx: Tx, { id, organizationId }: User): Promise<boolean> =>
  tx.sql.existsBy(User, { organizationId, id: Not(id), owner: true, active: true });
