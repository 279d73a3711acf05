import { union } from './installations.js';

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
