import { statement } from '../../kernel/database/statement.js';

/* By hand: part of every mutation; a number is taken and answered at once. */

export const TAKE = statement(
  'tracker_sync_take',
  `UPDATE organizations SET last_sync_id = last_sync_id + $2 WHERE id = $1::uuid RETURNING last_sync_id AS "lastSyncId"`,
);
export const CURRENT = statement(
  'tracker_sync_current',
  `SELECT last_sync_id AS "lastSyncId" FROM organizations WHERE id = $1::uuid`,
);
