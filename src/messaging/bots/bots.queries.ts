import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a bot, its app and its user in one round trip. */

/** A bot belongs to an app or to an incoming webhook; the latter has no user. */
export const BOT_BY_ID = statement(
  'bots_info',
  `SELECT a.bot_id AS id, a.name, a.created_at AS "createdAt", a.id AS "appId", a.bot_user_id AS "userId",
          a.bot_user_id AS "pictured", u.deleted_at IS NOT NULL AS deleted
   FROM apps a LEFT JOIN users u ON u.workspace_id = a.workspace_id AND u.id = a.bot_user_id
   WHERE a.workspace_id = $1 AND a.bot_id = $2
   UNION ALL
   SELECT h.id, h.name, h.created_at, h.app_id, NULL, a.bot_user_id, false
   FROM incoming_webhooks h JOIN apps a ON a.workspace_id = h.workspace_id AND a.id = h.app_id WHERE h.workspace_id = $1 AND h.id = $2`,
);
