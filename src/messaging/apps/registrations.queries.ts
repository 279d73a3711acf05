import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a page by its key, with the people of each installation in one read. */

export const INSTALLATIONS_PAGE = statement(
  'chat_installations_page',
  `SELECT a.workspace_id AS id, a.installed_at AS "createdAt", w.name AS team, a.bot_user_id AS "botUserId", a.bot_state AS "botState",
          a.bot_scopes AS "botScopes", a.home_id IS NULL AS "isHome",
          coalesce((SELECT json_agg(json_build_object('id', t.user_id, 'scopes', t.scopes) ORDER BY t.user_id) FROM (
            SELECT DISTINCT ON (user_id) user_id, scopes FROM tokens k
            WHERE k.workspace_id = a.workspace_id AND k.app_id = a.id AND k.user_id <> a.bot_user_id
              AND k.kind IN ('user', 'refresh') AND k.revoked_at IS NULL
            ORDER BY user_id, created_at DESC) t), '[]') AS people
   FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   WHERE a.id = $1 AND a.installed_at IS NOT NULL AND (a.installed_at, a.workspace_id) >= ($2, $3)
   ORDER BY a.installed_at, a.workspace_id LIMIT $4`,
);

export interface InstallationRow extends Record<string, unknown> {
  /** The workspace. */
  readonly id: string;
  readonly createdAt: number;
  readonly team: string;
  readonly botUserId: string;
  readonly botState: 'none' | 'live' | 'ended';
  readonly botScopes: readonly string[];
  readonly isHome: boolean;
  readonly people: readonly { readonly id: string; readonly scopes: readonly string[] }[];
}
