import { statement } from '../kernel/database/statement.js';

/* Hand-written: joins in the path of every call with a control token. */

export const BY_CONTROL_TOKEN = statement(
  'tenants_sandbox_by_control_token',
  `SELECT (SELECT tenant_id FROM sandboxes WHERE control_token_hash = $1) AS "tenantId",
          EXISTS (SELECT FROM ended_control_tokens WHERE hash = $1) AS ended`,
);
