import { statement } from '../database/statement.js';

/* By hand: about the server and its migrations, not about a table of ours. */

/** Not by a standby, which takes no writes. */
export const PING = statement(
  'health_ping',
  `SELECT (current_setting('transaction_read_only') = 'off')::int AS applied`,
);

/** What migrations there are on disk was applied at the start, or by a replica of a newer version. */
export const APPLIED = statement('health_migrations', 'SELECT count(*)::int AS applied FROM migrations');
