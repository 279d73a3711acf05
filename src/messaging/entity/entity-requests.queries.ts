import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the newest of each app. */

/** What apps present to a person ($1 workspace, $2 user): for each the object that was opened last, once it answered. */
export const PRESENTED_TO_USER = statement(
  'chat_presented_to_user',
  `SELECT * FROM (
     SELECT DISTINCT ON (app_id) trigger_id AS "triggerId", app_id AS "appId", conversation_id AS channel,
            message_ts::float8 AS "messageTs", presented
     FROM entity_requests WHERE workspace_id = $1 AND user_id = $2 ORDER BY app_id, trigger_id DESC) newest
   WHERE presented IS NOT NULL ORDER BY "triggerId"`,
);
