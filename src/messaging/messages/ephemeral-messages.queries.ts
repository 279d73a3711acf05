import { statement } from '../../kernel/database/statement.js';
import { sqlNowMicros } from '../../kernel/clock/clock.js';

/* Hand-written: each is one prepared statement, on the way of every click on such a message. */

/** How long a person sees one and may click on it, by the sandbox's clock: as long as its response_url works. */
export const RETENTION_MICROS = 30 * 60_000_000;

export const SWEEP_BATCH = 2_000;

export const INSERT_EPHEMERAL = statement(
  'ephemeral_insert',
  `INSERT INTO ephemeral_messages (conversation_id, user_id, ts, workspace_id, app_id, wire) VALUES ($1, $2, $3, $4, $5, $6)`,
);

const COLUMNS = 'conversation_id AS channel, ts, app_id AS "appId", wire';

export const FIND_EPHEMERAL = statement(
  'ephemeral_find',
  `SELECT ${COLUMNS} FROM ephemeral_messages
   WHERE conversation_id = $2 AND user_id = $3 AND ts = $4 AND workspace_id = $1 AND ts > $5`,
);

/** Parameters: conversation, user, ts, app, wire. */
export const REPLACE_EPHEMERAL = statement(
  'ephemeral_replace',
  `UPDATE ephemeral_messages SET wire = $5 WHERE conversation_id = $1 AND user_id = $2 AND ts = $3 AND app_id = $4`,
);

export const REMOVE_EPHEMERAL = statement(
  'ephemeral_remove',
  `DELETE FROM ephemeral_messages WHERE conversation_id = $1 AND user_id = $2 AND ts = $3 AND app_id = $4`,
);

export const EPHEMERAL_OF_USER = statement(
  'ephemeral_of_user',
  `SELECT ${COLUMNS} FROM ephemeral_messages WHERE workspace_id = $1 AND user_id = $2 AND ts > $3 ORDER BY ts LIMIT 200`,
);

/** Each by its own sandbox's time; where that stands still, after a day of real time. */
export const SWEEP_EPHEMERAL = statement(
  'ephemeral_sweep',
  `DELETE FROM ephemeral_messages WHERE (conversation_id, user_id, ts) IN (
     SELECT e.conversation_id, e.user_id, e.ts FROM ephemeral_messages e
     JOIN workspaces w ON w.id = e.workspace_id LEFT JOIN sandboxes s ON s.tenant_id = w.tenant_id
     WHERE e.stored_at < now() - interval '1 day'
        OR e.ts < coalesce(s.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(s.clock_offset, 0)) - ${RETENTION_MICROS}
     LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);
