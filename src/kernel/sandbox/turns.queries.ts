import { statement } from '../database/statement.js';

/* Hand-written: counts up in place, on all replicas. */

/**
 * The numbers of so many calls ($2) of a tenant ($1): answers the last one. Nobody waits until it is on disk: what a call
 * does is committed later, and is not there after a crash without it.
 */
export const NUMBER_CALLS = statement(
  'sandbox_number_calls',
  `UPDATE sandboxes SET id_draws = id_draws + $2::int
   FROM (SELECT set_config('synchronous_commit', 'off', true)) later WHERE tenant_id = $1 RETURNING id_draws AS "last"`,
  { keeps: 'everything' },
);

/** A call asks for its turn ($1: the tenant): it has it when that of the one before is over. */
export const TAKE_TURN = statement(
  'sandbox_take_turn',
  'UPDATE sandboxes SET turns_taken = turns_taken + 1 WHERE tenant_id = $1 RETURNING turns_taken AS turn, turns_done AS done, flags',
  { keeps: 'everything' },
);

export const LOOK_FOR_TURN = statement(
  'sandbox_look_for_turn',
  'SELECT turns_done AS done, flags FROM sandboxes WHERE tenant_id = $1',
);

export const END_TURN = statement(
  'sandbox_end_turn',
  'UPDATE sandboxes SET turns_done = greatest(turns_done, $2) WHERE tenant_id = $1',
  { keeps: 'everything' },
);

export const FLAGS_NOW = statement('sandbox_flags_now', 'SELECT flags FROM sandboxes WHERE tenant_id = $1');
