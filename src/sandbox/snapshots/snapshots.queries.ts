import { statement } from '../../kernel/database/statement.js';

/* Hand-written: functions of the database keep, count and restore rows. */

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
   SELECT $1, $2, $3, $4, $5, sandbox_clock(s) FROM sandboxes s WHERE s.tenant_id = $1
   RETURNING id, name, epoch, rows, bytes, created_at AS "createdAt", clock`,
);

export const DELETE_SNAPSHOT = statement(
  'sandbox_delete_snapshot',
  `WITH later AS (UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = $1)
   DELETE FROM snapshots WHERE tenant_id = $1 AND (id = $2 OR name = $2) RETURNING epoch`,
);

/** Deletes a batch of images that no state needs any more; returns where it stopped. */
export const THIN_IMAGES = statement('sandbox_thin', 'SELECT tbl, key FROM sandbox_thin($1, $2, $3, 2000)');

/** Sandboxes that were called since yesterday and keep at least this many images ($1). */
export const GROWN_SANDBOXES = statement(
  'sandbox_grown',
  `SELECT s.tenant_id AS id FROM sandboxes s
   WHERE s.epoch > 0 AND s.last_call_at > now() - interval '1 day'
     AND (SELECT count(*) FROM (SELECT FROM sandbox_undo u WHERE u.tenant_id = s.tenant_id LIMIT $1) kept) >= $1`,
);

export const BASELINE_OF_SANDBOX = statement(
  'sandbox_baseline',
  `SELECT baseline_epoch AS epoch, baseline_rows AS rows, baseline_clock AS clock FROM sandboxes
   WHERE tenant_id = $1 AND baseline_epoch IS NOT NULL`,
);

/**
 * Restores `baseline` or a snapshot by id or name; returns no row if there is none. Parameters: tenant, workspace,
 * state.
 */
export const RESET_SANDBOX = statement(
  'sandbox_reset',
  'SELECT row_count AS rows, leaves_images AS "leavesImages", takes_apps AS "takesApps" FROM sandbox_reset($1, $2, $3)',
);

export interface ResetRow {
  readonly rows: number;
  readonly leavesImages: boolean;
  /** Whether apps that were registered since are gone. */
  readonly takesApps: boolean;
}
