import { statement } from '../../kernel/database/statement.js';

/* By hand: about connections, not about a table of ours. */

/** Every replica listens on a connection of this name. */
export const OTHER_REPLICAS = statement(
  'replicas_listening',
  `SELECT count(*)::int - 1 AS others FROM pg_stat_activity
    WHERE application_name = 'understudy wake-ups' AND datname = current_database()`,
);
