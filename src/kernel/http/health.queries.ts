import { statement } from '../database/statement.js';

/* Hand-written: about the server and its migrations, not about a table of ours. */

/** Fails on a standby, which accepts no writes. */
export const PING = statement(
  'health_ping',
  `SELECT (current_setting('transaction_read_only') = 'off')::int AS applied`,
);

/** Migrations were applied at the start from disk, or by a replica of a newer version. */
export const APPLIED = statement('health_migrations', 'SELECT count(*)::int AS applied FROM migrations');
