import { union } from './installations.js';

/** What a page of installations reads of each, from `apps a` and `workspaces w`; the people are those with tokens. */
export const INSTALLATION_COLUMNS = `a.workspace_id AS id, a.installed_at AS "createdAt", w.name AS team, a.bot_user_id AS "botUserId", a.bot_state AS "botState",
          a.bot_scopes AS "botScopes", a.home_id IS NULL AS "isHome",
          coalesce((SELECT json_agg(json_build_object('id', t.user_id, 'scopes', t.scopes) ORDER BY t.user_id) FROM (
            SELECT DISTINCT ON (user_id) user_id, scopes FROM tokens k
            WHERE k.workspace_id = a.workspace_id AND k.app_id = a.id AND k.user_id <> a.bot_user_id
              AND k.kind IN ('user', 'refresh') AND k.revoked_at IS NULL
            ORDER BY user_id, created_at DESC) t), '[]') AS people`;

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

/** An installation as answers show it (docs/reference/installing.md#registration). */
export const toWireInstallation = (row: InstallationRow): object => ({
  team_id: row.id,
  team: row.team,
  bot_user_id: row.botState === 'live' ? row.botUserId : null,
  scopes: {
    bot: row.botState === 'live' ? row.botScopes : [],
    user: row.people.reduce<string[]>((all, { scopes }) => union(all, scopes), []),
  },
  users: row.people.map(({ id }) => id),
  installed: Math.floor(row.createdAt / 1e6),
  home: row.isHome,
});
