import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the row is locked while it is judged, so that a trigger works once. */

/** How long a trigger is known, in hours of real time. */
const RETENTION_HOURS = 24;

export const SWEEP_BATCH = 2_000;

export const INSERT_TRIGGER = statement(
  'chat_insert_trigger',
  `INSERT INTO triggers (id, workspace_id, app_id, user_id, expires_at, conversation_id) VALUES ($1, $2, $3, $4, $5, $6)`,
);

export const LOCK_TRIGGER = statement(
  'chat_lock_trigger',
  `SELECT user_id AS "userId", conversation_id AS "conversationId", expires_at <= $4 AS expired, exchanged FROM triggers
   WHERE id = $1 AND workspace_id = $2 AND app_id = $3 FOR UPDATE`,
);

export const EXCHANGE_TRIGGER = statement(
  'chat_exchange_trigger',
  'UPDATE triggers SET exchanged = true WHERE id = $1',
);

export const SWEEP_TRIGGERS = statement(
  'chat_sweep_triggers',
  `DELETE FROM triggers WHERE id IN (SELECT id FROM triggers WHERE created_at < now() - interval '${RETENTION_HOURS} hours' LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);
