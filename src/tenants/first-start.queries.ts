import { statement } from '../kernel/database/statement.js';
import { appOfImages, defaultTokenImages } from '../messaging/provisioning/credentials.queries.js';
import { defaultKeyImages } from '../tracker/credentials.queries.js';

/* Hand-written: joins over both products, and sets of credentials that are revoked at once. */

export const LOCK_FIRST_START = statement('tenants_first_start_lock', 'SELECT pg_advisory_xact_lock($1)');

/**
 * Operators' changes to the default credentials survive resets: the images that a reset restores are changed together
 * with the rows. Parameters: the tenant, the app.
 */
export const KEEP_THROUGH_RESETS = statement(
  'tenants_keep_default_credentials',
  `WITH t AS (
     ${defaultTokenImages('$2')}
     UNION ALL
     ${defaultKeyImages('$1')}),
   stay AS (
     DELETE FROM sandbox_undo u USING t WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NULL),
   changed AS (
     UPDATE sandbox_undo u SET image = t.row FROM t
     WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NOT NULL)
   UPDATE sandbox_undo u SET image = u.image || a.changed FROM (${appOfImages('$2')}) a
   WHERE u.tenant_id = $1 AND u.tbl = a.tbl AND u.key = a.key AND u.image IS NOT NULL`,
);
