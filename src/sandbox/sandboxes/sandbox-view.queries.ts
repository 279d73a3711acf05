import { statement } from '../../kernel/database/statement.js';
import { SANDBOX_COLUMNS, SANDBOX_FROM } from '../access/sandbox-row.queries.js';

/* Hand-written: counts over both products, for a page of sandboxes at once. */

/** Counts of the sandbox of a workspace `w`. */
const COUNTS = `
     (SELECT count(*)::int FROM users u WHERE u.workspace_id = w.id AND u.deleted_at IS NULL AND NOT u.is_bot) AS users,
     (SELECT count(*)::int FROM conversations c WHERE c.workspace_id = w.id AND c.type IN ('public', 'private')) AS channels,
     (SELECT count(*)::int FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.workspace_id = w.id) AS messages,
     (SELECT count(*)::int FROM organizations o JOIN issues i ON i.organization_id = o.id WHERE o.tenant_id = w.tenant_id) AS issues,
     (SELECT count(*)::int FROM snapshots s WHERE s.tenant_id = w.tenant_id) AS snapshots,
     (SELECT last_call_at FROM sandboxes sb WHERE sb.tenant_id = w.tenant_id) AS "lastCallAt"`;

export const COUNTS_OF_SANDBOXES = statement(
  'sandbox_counts',
  `SELECT w.tenant_id AS "tenantId", ${COUNTS}
   FROM workspaces w WHERE w.tenant_id = ANY($1::bigint[])`,
);

/** A sandbox that was just made, with its counts. */
export const MADE_SANDBOX = statement(
  'sandbox_made',
  `SELECT ${SANDBOX_COLUMNS}, ${COUNTS} ${SANDBOX_FROM} WHERE sb.tenant_id = $1`,
);

export const TOUCH_SANDBOXES = statement(
  'sandbox_touch',
  `UPDATE sandboxes SET last_call_at = now() WHERE tenant_id = ANY($1::bigint[])
     AND (last_call_at IS NULL OR last_call_at < now() - interval '3 seconds')`,
  { keepsCallers: true },
);
