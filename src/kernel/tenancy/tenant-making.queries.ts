import { statement } from '../database/statement.js';

/* Hand-written: a new tenant's share is that of its maker's oldest tenant, and shares are read in pages. */

/** Any constant will do that no other lock of ours uses: an account's tenants are made one after the other. */
export const HOLD_MAKER = statement(
  'tenants_hold_maker',
  'SELECT pg_advisory_xact_lock(hashtextextended($1, 7430234))',
);

export const INSERT_TENANT_OF_ACCOUNT = statement(
  'tenants_insert_of_account',
  `INSERT INTO tenants (maker, share_id)
   VALUES ($1, (SELECT coalesce(t.share_id, t.id) FROM tenants t WHERE t.maker = $1 AND t.deleted_at IS NULL ORDER BY t.id LIMIT 1))
   RETURNING id, share_id AS "shareId"`,
);

export const PAGE = 10_000;

export const TENANTS_WITH_SHARE = statement(
  'tenants_with_share',
  `SELECT id, share_id AS "shareId" FROM tenants WHERE share_id IS NOT NULL AND id > $1 ORDER BY id LIMIT ${PAGE}`,
);
