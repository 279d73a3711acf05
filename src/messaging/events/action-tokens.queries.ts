import { statement } from '../../kernel/database/statement.js';

/* Hand-written: times by the sandbox's clock, and what a reset took back. */

/** When an event ($1) of a workspace ($2) was, unless its sandbox was reset since. */
export const EVENT_OF_TOKEN = statement(
  'chat_event_of_token',
  `SELECT sandbox_moment(e.recorded_at, e.clock) AS at
   FROM workspaces w JOIN events e ON e.id = $1 AND e.tenant_id = w.tenant_id LEFT JOIN sandboxes b ON b.tenant_id = w.tenant_id
   WHERE w.id = $2 AND (b.reset_at IS NULL OR e.recorded_at > b.reset_at)`,
);
