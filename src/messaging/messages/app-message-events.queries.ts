import { statement } from '../../kernel/database/statement.js';

/* Hand-written: on the way of every post. */

/** Apps that a message may concern: those whose bot it names, and where it has links those that unfurl some. */
export const APPS_CONCERNED = statement(
  'chat_apps_concerned',
  `SELECT a.id, a.bot_user_id AS "botUserId", a.bot_id AS "botId", a.manifest #> '{features,unfurl_domains}' AS domains,
          EXISTS (SELECT FROM members m WHERE m.conversation_id = $4 AND m.user_id = a.bot_user_id) AS "isMember"
     FROM apps a
    WHERE a.workspace_id = $1
      AND (a.bot_user_id = ANY($2::text[]) OR ($3::boolean AND a.manifest #> '{features,unfurl_domains}' IS NOT NULL))
    ORDER BY a.created_at, a.id`,
);
