import { Injectable } from '@nestjs/common';
import {
  AccountProducts,
  type AccountProduct,
  type Claims,
  type Entrance,
  type NewAccount,
  type Wishes,
} from '../../auth/account-products.js';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { userEvent } from '../events/user-events.js';
import { TrackerSetup } from '../provisioning/setup.js';
import { Organization } from './organization.entity.js';
import { columnsOf } from '../../kernel/database/columns.js';
import { joinerOf } from '../access/viewer.js';
import { organizationOfClaim } from '../access/org-claim.js';

const OF_TENANT = statement(
  'tracker_organization_of_tenant',
  `SELECT ${columnsOf(Organization, 'g')} FROM organizations g WHERE g.tenant_id = $1`,
);

const IS_USER = statement(
  'tracker_is_user',
  `SELECT 1 FROM tracker_users u JOIN organizations o ON o.id = u.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   WHERE u.account_id = $1 AND u.organization_id = $2::uuid`,
);

const SUSPENDED = statement(
  'tracker_suspended_accounts',
  `SELECT r.n FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS r (account_id, organization_id, n)
   JOIN tracker_users u ON u.account_id = r.account_id AND u.organization_id = r.organization_id AND NOT u.active
   JOIN organizations o ON o.id = u.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL`,
);

/**
 * What the tracker adds to sessions: the claim of the organization used last, which account and session carry on. Sign-up
 * joins none (docs/reference/control-plane.md#accounts), and answers show nothing of the tracker: they are free of
 * UUIDs.
 */
@Injectable()
export class TrackerAccounts implements AccountProduct {
  readonly name = 'tracker';
  private readonly suspended = coalesce(
    async (keys: { accountId: string; organizationId: string }[]) => {
      const rows = await this.db.read<{ n: number }>(SUSPENDED, [
        keys.map((key) => key.accountId),
        keys.map((key) => key.organizationId),
      ]);
      const found = new Set(rows.map((row) => row.n));
      return keys.map((_, i) => found.has(i + 1));
    },
    { name: 'accounts.suspended' },
  );

  constructor(
    products: AccountProducts,
    private readonly db: Db,
    private readonly setup: TrackerSetup,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {
    products.register(this);
  }

  /** Who is added to a workspace is a user of the organization beside it. */
  async onMemberAdded(tx: Tx, tenantId: number, account: NewAccount): Promise<void> {
    const [organization] = await tx.query<Organization & { [column: string]: unknown }>(OF_TENANT, [tenantId]);
    if (!organization) return;
    const { id: accountId, realName: name, email } = account;
    const user = await this.setup.addUser(tx, { organizationId: organization.id, accountId, name, email });
    tx.record(
      userEvent({ viewer: joinerOf(organization, user), web: this.publicUrl.base, at: this.clock.now() }, user),
    );
  }

  /** A claim of an organization that is gone, or about to go, is dropped; a suspended user's stays, and is refused where it is used. */
  async enter(accountId: string, _wishes: Wishes, kept: Claims): Promise<Entrance> {
    if (kept['org'] === undefined) return { claims: {}, view: {} };
    const organizationId = organizationOfClaim(kept['org']);
    const holds = organizationId !== undefined && (await this.db.read(IS_USER, [accountId, organizationId])).length > 0;
    return { claims: { org: holds ? kept['org'] : undefined }, view: {} };
  }

  /** docs/reference/tracker.md#user: a token that claims the organization is dead on the chat side as well. */
  suspends(accountId: string, claims: Claims): Promise<boolean> {
    const organizationId = organizationOfClaim(claims['org']);
    return organizationId === undefined ? Promise.resolve(false) : this.suspended({ accountId, organizationId });
  }
}
