/* Hand-written: the people of an installation are gathered from its tokens, in the statement that reads the page. */

/** What a page of installations reads of each, from `apps a` and `workspaces w`; the people are those with tokens. */
export const INSTALLATION_COLUMNS = `a.workspace_id AS id, a.installed_at AS "createdAt", w.name AS team, a.bot_user_id AS "botUserId", a.bot_state AS "botState",
          a.bot_scopes AS "botScopes", a.home_id IS NULL AS "isHome",
          coalesce((SELECT json_agg(json_build_object('id', t.user_id, 'scopes', t.scopes) ORDER BY t.user_id) FROM (
            SELECT DISTINCT ON (user_id) user_id, scopes FROM tokens k
            WHERE k.workspace_id = a.workspace_id AND k.app_id = a.id AND k.user_id <> a.bot_user_id
              AND k.kind IN ('user', 'refresh') AND k.revoked_at IS NULL
            ORDER BY user_id, created_at DESC) t), '[]') AS people`;
