import { statement } from '../../kernel/database/statement.js';

/* By hand: rows are kept, counted and restored by functions of the database. */

const CLOCK = `jsonb_build_object('offset', clock_offset, 'frozenAt', clock_frozen_at, 'signWith', clock_sign_with)`;

export const SNAPSHOTS_OF_TENANT = statement(
  'sandbox_snapshots',
  `SELECT id, name, epoch, rows, bytes, created_at AS "createdAt", clock FROM snapshots WHERE tenant_id = $1 ORDER BY created_at, id`,
);

export const SIZE_OF_SANDBOX = statement('sandbox_size', 'SELECT rows, bytes FROM sandbox_size($1)');

export const NEXT_EPOCH = statement(
  'sandbox_next_epoch',
  'UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = $1 RETURNING epoch',
);

export const INSERT_SNAPSHOT = statement(
  'sandbox_insert_snapshot',
  `INSERT INTO snapshots (tenant_id, name, epoch, rows, bytes, clock)
   SELECT $1, $2, $3, $4, $5, ${CLOCK} FROM sandboxes WHERE tenant_id = $1
   RETURNING id, name, epoch, rows, bytes, created_at AS "createdAt", clock`,
);

export const DELETE_SNAPSHOT = statement(
  'sandbox_delete_snapshot',
  `WITH later AS (UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = $1)
   DELETE FROM snapshots WHERE tenant_id = $1 AND (id = $2 OR name = $2) RETURNING epoch`,
);

/** Drops images that no state needs any more, so many of them; answers where it stopped. */
export const THIN_IMAGES = statement('sandbox_thin', 'SELECT tbl, key FROM sandbox_thin($1, $2, $3, 2000)');

export const BASELINE_OF_SANDBOX = statement(
  'sandbox_baseline',
  `SELECT baseline_epoch AS epoch, baseline_rows AS rows, baseline_clock AS clock FROM sandboxes
   WHERE tenant_id = $1 AND baseline_epoch IS NOT NULL`,
);

export const RESTORE_ROWS = statement('sandbox_restore_rows', 'SELECT sandbox_restore($1, $2) AS "leavesImages"');

export const SET_AFTER_RESET = statement(
  'sandbox_set_after_reset',
  `UPDATE sandboxes SET allowances = allowances + 1, clock_offset = ($2::jsonb ->> 'offset')::bigint,
     clock_frozen_at = ($2::jsonb ->> 'frozenAt')::bigint, clock_sign_with = coalesce($2::jsonb ->> 'signWith', 'wall'),
     baseline_rows = CASE WHEN $3 THEN $4 ELSE baseline_rows END
   WHERE tenant_id = $1`,
);

/** What a reset ends; answers people who were not there, before the images that name them are forgotten. */
export const DROP_QUEUED = statement(
  'sandbox_drop_queued',
  `WITH urls AS (DELETE FROM response_urls WHERE workspace_id = $2), triggers_ AS (DELETE FROM triggers WHERE workspace_id = $2),
   views_ AS (DELETE FROM views WHERE workspace_id = $2), ephemeral AS (DELETE FROM ephemeral_messages WHERE workspace_id = $2),
   statuses AS (DELETE FROM assistant_threads WHERE workspace_id = $2),
   queued AS (DELETE FROM deliveries WHERE target_id IN (SELECT id FROM delivery_targets WHERE tenant_id = $1))
   SELECT DISTINCT u.key::jsonb ->> 'id' AS id FROM sandbox_undo u
   WHERE u.tenant_id = $1 AND u.tbl = 'users' AND u.epoch >= $3 AND u.image IS NULL`,
);

/** Accounts of people who were not there. */
export const DROP_PEOPLE = statement(
  'sandbox_drop_people',
  `DELETE FROM accounts a WHERE a.id = ANY($1::text[])
     AND NOT EXISTS (SELECT FROM users u WHERE u.id = a.id)
     AND NOT EXISTS (SELECT FROM tracker_users u WHERE u.account_id = a.id)`,
);
