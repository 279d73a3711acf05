import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a join, before each request to an app. */

export const SIGNS_BY_SANDBOX = statement(
  'chat_signs_by_sandbox',
  `SELECT FROM workspaces w JOIN sandboxes s ON s.tenant_id = w.tenant_id
   WHERE w.id = $1 AND s.clock_sign_with = 'sandbox'`,
);
