import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a set of an app's identities, judged as the planner of deliveries judges them. */

/**
 * Identities of app $2 in workspace $1 that may see an event: with its scope ($3, null: none is needed), and members of its
 * conversation $4 (null: that is not asked), and whoever made it visible ($5). Those from $6 on, at most $7.
 */
export const IDENTITIES_OF_EVENT = statement(
  'chat_identities_of_event',
  `SELECT i.user_id AS "userId", i.is_bot AS "isBot"
   FROM (
     SELECT a.bot_user_id AS user_id, true AS is_bot FROM apps a
     WHERE a.workspace_id = $1 AND a.id = $2 AND a.bot_state = 'live' AND ($3::text IS NULL OR $3 = ANY(a.bot_scopes))
     UNION
     SELECT k.user_id, false FROM tokens k
     JOIN users u ON u.workspace_id = k.workspace_id AND u.id = k.user_id AND u.deleted_at IS NULL
     WHERE k.workspace_id = $1 AND k.app_id = $2 AND k.kind = 'user' AND k.revoked_at IS NULL AND ($3::text IS NULL OR $3 = ANY(k.scopes))
   ) i
   WHERE (i.user_id = $5 OR $8::boolean OR EXISTS (SELECT FROM members m WHERE m.conversation_id = $4 AND m.user_id = i.user_id))
     AND ($6::text IS NULL OR i.user_id >= $6)
   ORDER BY i.user_id LIMIT $7::int`,
);
