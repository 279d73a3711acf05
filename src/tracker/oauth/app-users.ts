import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { Joining } from '../events/joining.js';
import { userEvent } from '../events/user-events.js';
import { Organization } from '../store/organization.entity.js';
import { User } from '../store/user.entity.js';
import { TrackerSetup } from '../provisioning/setup.js';
import { differences } from '../store/differences.js';
import type { OauthApplication } from '../store/oauth-application.entity.js';

/** The users that applications have of their own (docs/reference/tracker-oauth.md#actors). */
@Injectable()
export class AppUsers {
  constructor(
    private readonly setup: TrackerSetup,
    private readonly clock: Clock,
    private readonly joining: Joining,
  ) {}

  /** The application's user in an organization: new, or the one it had, as its newest token says. */
  async activate(
    tx: Tx,
    organization: Organization,
    { id: applicationId, name, imageUrl: avatarUrl }: Pick<OauthApplication, 'id' | 'name' | 'imageUrl'>,
    { scopes, isSeed }: { readonly scopes: readonly string[]; readonly isSeed: boolean },
  ): Promise<User> {
    const wanted = {
      name,
      avatarUrl,
      canBeAssigned: scopes.includes('app:assignable'),
      canBeMentioned: scopes.includes('app:mentionable'),
    };
    const before = await tx.sql.findOneBy(User, { applicationId, organizationId: organization.id });
    if (before) return this.change(tx, organization, before, { ...wanted, active: true, disableReason: null });
    const user = await this.setup.addAppUser(tx, { ...wanted, organizationId: organization.id, applicationId });
    if (!isSeed) tx.record(userEvent(await this.joining.settingOf(tx, organization, user), user));
    return user;
  }

  /** Its authorization has ended: what it made stays. */
  async deactivate(tx: Tx, organization: Organization, userId: string): Promise<void> {
    const user = await tx.sql.findOneBy(User, { id: userId });
    if (user) await this.change(tx, organization, user, { active: false });
  }

  private async change(tx: Tx, organization: Organization, before: User, wanted: Partial<User>): Promise<User> {
    const change = differences(before, wanted);
    if (Object.keys(change).length === 0) return before;
    const values = { ...change, updatedAt: this.clock.now() };
    await tx.sql.update(User, { id: before.id }, values);
    const after = { ...before, ...values };
    const setting = await this.joining.settingOf(tx, organization, after);
    tx.record(userEvent({ ...setting, at: values.updatedAt }, after, before));
    return after;
  }
}
