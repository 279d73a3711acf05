import { statement } from '../../kernel/database/statement.js';

/* Hand-written: sets of rows. */

/** Of an app's ($1 workspace, $2 app) executions the newest $3 are kept. */
export const PRUNE_EXECUTIONS = statement(
  'functions_prune_executions',
  `DELETE FROM function_executions WHERE id IN (
     SELECT id FROM function_executions WHERE workspace_id = $1 AND app_id = $2
     ORDER BY started_at DESC, id DESC OFFSET $3::int)
   RETURNING id`,
);
