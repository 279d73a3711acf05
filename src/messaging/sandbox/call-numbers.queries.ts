import { statement } from '../../kernel/database/statement.js';

/* Hand-written: counts up in place. */

/**
 * The numbers of so many calls ($2) of a tenant ($1): answers the last one. Nobody waits until it is on disk: what a call
 * does is committed later, and is not there after a crash without it.
 */
export const NEXT_CALL_NUMBERS = statement(
  'sandbox_next_draws',
  `UPDATE workspaces SET id_draws = coalesce(id_draws, 0) + $2::int
   FROM (SELECT set_config('synchronous_commit', 'off', true)) later WHERE tenant_id = $1 RETURNING id_draws AS "last"`,
  { keepsCallers: true },
);
