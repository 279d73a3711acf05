import { statement } from '../database/statement.js';

/* Hand-written: counts up in place. */

export const NEXT_DRAW = statement(
  'sandbox_next_draw',
  'UPDATE workspaces SET id_draws = coalesce(id_draws, 0) + 1 WHERE tenant_id = $1 RETURNING id_draws AS "call"',
  { keepsCallers: true },
);
