import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a lock, and a maximum over two products. */

export const HOLD_CLOCK = statement(
  'sandbox_hold_clock',
  'SELECT flags FROM sandboxes WHERE tenant_id = $1 FOR NO KEY UPDATE',
);

/** In microseconds. */
export const NEWEST_ROW = statement(
  'sandbox_newest',
  `SELECT greatest(
     (SELECT max(m.ts) FROM conversations c CROSS JOIN LATERAL (
        SELECT ts FROM messages WHERE conversation_id = c.id ORDER BY ts DESC LIMIT 1) m WHERE c.workspace_id = $1),
     (SELECT (extract(epoch FROM max(created_at)) * 1000000)::bigint FROM issues WHERE organization_id = $2::uuid)) AS newest`,
);
