import { Injectable } from '@nestjs/common';
import {
  AccountProducts,
  type AccountProduct,
  type Claims,
  type Entrance,
  type Wishes,
} from '../../auth/account-products.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { organizationOfClaim } from '../model/org-claim.js';

const IS_USER = statement(
  'tracker_is_user',
  'SELECT 1 FROM tracker_users WHERE account_id = $1 AND organization_id = $2::uuid',
);

const SUSPENDED = statement(
  'tracker_suspended_accounts',
  `SELECT r.n FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS r (account_id, organization_id, n)
   JOIN tracker_users u ON u.account_id = r.account_id AND u.organization_id = r.organization_id AND NOT u.active`,
);

/**
 * What the tracker adds to sessions: the claim of the organization used last, which account and session carry on. Sign-up
 * joins none (tracker.md h.2), and answers show nothing of the tracker: they are free of UUIDs.
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
  ) {
    products.register(this);
  }

  /** A claim of an organization that is gone is dropped; a suspended user's stays, and is refused where it is used. */
  async enter(accountId: string, _wishes: Wishes, kept: Claims): Promise<Entrance> {
    if (kept['org'] === undefined) return { claims: {}, view: {} };
    const organizationId = organizationOfClaim(kept['org']);
    const holds = organizationId !== undefined && (await this.db.read(IS_USER, [accountId, organizationId])).length > 0;
    return { claims: { org: holds ? kept['org'] : undefined }, view: {} };
  }

  /** tracker.md c.2: a token that claims the organization is dead on the chat side as well. */
  suspends(accountId: string, claims: Claims): Promise<boolean> {
    const organizationId = organizationOfClaim(claims['org']);
    return organizationId === undefined ? Promise.resolve(false) : this.suspended({ accountId, organizationId });
  }
}
