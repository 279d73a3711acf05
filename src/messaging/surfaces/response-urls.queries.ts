import { statement } from '../../kernel/database/statement.js';
import { sqlNowMicros } from '../../kernel/clock/clock.js';

/* Hand-written: a use is counted and judged by one statement, so that five stay five. */

export const MAX_USES = 5;

export const SWEEP_BATCH = 2_000;

export const INSERT_RESPONSE_URL = statement(
  'chat_insert_response_url',
  `INSERT INTO response_urls (hash, workspace_id, app_id, conversation_id, user_id, message_ts, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

/** The sandbox's time; $2 is the clock's offset in real time. */
const NOW = `sandbox_moment(to_timestamp(${sqlNowMicros('$2')} / 1e6), sandbox_shift(sb.clock_offset, sb.clock_frozen_at))`;

export const FIND_RESPONSE_URL = statement(
  'chat_response_url',
  `SELECT r.uses, r.expires_at > ${NOW} AS fresh FROM response_urls r
   JOIN workspaces w ON w.id = r.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id WHERE r.hash = $1`,
);

/** The row's lock and this condition count: of many at once, five get through. */
export const TAKE_RESPONSE_URL = statement(
  'chat_take_response_url',
  `UPDATE response_urls r SET uses = r.uses + 1
   FROM workspaces w LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id, conversations c
   WHERE r.hash = $1 AND r.uses < ${MAX_USES} AND r.expires_at > ${NOW} AND w.id = r.workspace_id AND c.id = r.conversation_id
   RETURNING r.workspace_id AS "workspaceId", w.tenant_id AS "tenantId", r.app_id AS "appId", r.user_id AS "userId",
             r.conversation_id AS "conversationId", c.type, r.message_ts AS "messageTs", sb.flags AS sandbox`,
);

export const SWEEP_RESPONSE_URLS = statement(
  'chat_sweep_response_urls',
  `DELETE FROM response_urls WHERE hash IN (SELECT hash FROM response_urls WHERE created_at < $1 LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);
