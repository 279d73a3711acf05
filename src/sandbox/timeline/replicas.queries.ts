import { statement } from '../../kernel/database/statement.js';

/* Hand-written: about connections, not about a table of ours. */

/** Every replica has a LISTEN connection of this name. */
export const OTHER_REPLICAS = statement(
  'replicas_listening',
  `SELECT count(*)::int - 1 AS others FROM pg_stat_activity
    WHERE application_name = 'understudy wake-ups' AND datname = current_database()`,
);
