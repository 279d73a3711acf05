import { statement } from '../../kernel/database/statement.js';

/* By hand: part of every mutation; a number is taken and answered at once. */

export const TAKE = statement(
  'tracker_sync_take',
  `UPDATE organizations SET last_sync_id = last_sync_id + $2 WHERE id = $1::uuid RETURNING last_sync_id AS "lastSyncId"`,
);
/** For several organizations at once, each its own number; in the order of ids, as in every statement that locks several. */
export const TAKE_OF_SEVERAL = statement(
  'tracker_sync_take_of_several',
  `WITH held AS MATERIALIZED (
     SELECT o.id, w.numbers FROM unnest($1::uuid[], $2::int[]) AS w (id, numbers) JOIN organizations o ON o.id = w.id
      ORDER BY o.id FOR NO KEY UPDATE OF o)
   UPDATE organizations o SET last_sync_id = o.last_sync_id + held.numbers FROM held WHERE o.id = held.id
   RETURNING o.id, o.last_sync_id AS "lastSyncId"`,
);
export const CURRENT = statement(
  'tracker_sync_current',
  `SELECT last_sync_id AS "lastSyncId" FROM organizations WHERE id = $1::uuid`,
);
