import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a lock, a write that keeps what is not given, and a maximum over two products. */

export const HOLD_CLOCK = statement(
  'sandbox_hold_clock',
  'SELECT flags FROM sandboxes WHERE tenant_id = $1 FOR NO KEY UPDATE',
);

export const SET_CLOCK = statement(
  'sandbox_set_clock',
  `UPDATE sandboxes SET clock_offset = $2, clock_frozen_at = $3, clock_sign_with = coalesce($4, clock_sign_with) WHERE tenant_id = $1`,
);

/** In microseconds. */
export const NEWEST_ROW = statement(
  'sandbox_newest',
  `SELECT greatest(
     (SELECT max(m.ts) FROM conversations c CROSS JOIN LATERAL (
        SELECT ts FROM messages WHERE conversation_id = c.id ORDER BY ts DESC LIMIT 1) m WHERE c.workspace_id = $1),
     (SELECT (extract(epoch FROM max(created_at)) * 1000000)::bigint FROM issues WHERE organization_id = $2::uuid)) AS newest`,
);
