import { Injectable } from '@nestjs/common';
import {
  AccountProducts,
  type AccountProduct,
  type Claims,
  type SessionPart,
  type NewAccount,
  type SignInOptions,
} from '../../auth/account-products.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Joining } from '../events/joining.js';
import { userEvent } from '../events/user-events.js';
import { TrackerSetup } from '../provisioning/setup.js';
import { Organization } from '../store/organization.entity.js';
import { isUser, suspendedOf, type UserKey } from './organization.queries.js';
import { organizationOfClaim } from '../access/org-claim.js';

/**
 * The tracker's part of sessions: the claim of the organization used last, kept by account and session. Sign-up joins
 * none (docs/reference/control-plane.md#accounts), and answers show nothing of the tracker: they contain no UUIDs.
 */
@Injectable()
export class TrackerAccounts implements AccountProduct {
  readonly name = 'tracker';
  private readonly suspended = coalesce((keys: UserKey[]) => suspendedOf(this.db, keys), {
    name: 'accounts.suspended',
  });

  constructor(
    products: AccountProducts,
    private readonly db: Db,
    private readonly setup: TrackerSetup,
    private readonly joining: Joining,
  ) {
    products.register(this);
  }

  /** A person added to a workspace becomes a user of its organization. */
  async onMemberAdded(tx: Tx, tenantId: number, account: NewAccount): Promise<void> {
    const organization = await tx.sql.findOneBy(Organization, { tenantId });
    if (!organization) return;
    const { id: accountId, realName: name, email } = account;
    const user = await this.setup.addUser(tx, { organizationId: organization.id, accountId, name, email });
    tx.record(userEvent(await this.joining.settingOf(tx, organization, user), user));
  }

  /** The claim of a deleted organization is dropped; a suspended user's stays, and is refused when it is used. */
  async enter(accountId: string, _options: SignInOptions, kept: Claims): Promise<SessionPart> {
    if (kept['org'] === undefined) return { claims: {}, view: {} };
    const organizationId = organizationOfClaim(kept['org']);
    const holds = organizationId !== undefined && (await isUser(this.db, { accountId, organizationId }));
    return { claims: { org: holds ? kept['org'] : undefined }, view: {} };
  }

  /** docs/reference/tracker.md#user: a token that claims the organization is dead on the chat side as well. */
  suspends(accountId: string, claims: Claims): Promise<boolean> {
    const organizationId = organizationOfClaim(claims['org']);
    return organizationId === undefined ? Promise.resolve(false) : this.suspended({ accountId, organizationId });
  }
}
