import type { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { ChatSession } from './chat-session.js';

/** Which of these credentials still open a workspace, with an app token's scopes as they are now. */
const LIVE = statement(
  'chat_realtime_live',
  `SELECT r.n::int AS n, t.scopes
   FROM unnest($1::text[]) WITH ORDINALITY AS r (hash, n)
   JOIN tokens t ON t.hash = r.hash AND t.revoked_at IS NULL
   JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
   JOIN users u ON u.workspace_id = w.id AND u.id = t.user_id AND u.deleted_at IS NULL
   UNION ALL
   SELECT r.n::int, NULL
   FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS r (sid, account_id, workspace_id, n)
   JOIN sessions s ON s.sid = r.sid AND s.account_id = r.account_id AND s.ended_at IS NULL
   JOIN accounts a ON a.id = r.account_id AND a.deactivated_at IS NULL
   JOIN workspaces w ON w.id = r.workspace_id AND w.deleted_at IS NULL
   JOIN users u ON u.workspace_id = w.id AND u.id = r.account_id AND u.deleted_at IS NULL`,
);

const MEMBERS = statement(
  'chat_realtime_members',
  `SELECT r.n::int AS n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (conversation_id, user_id, n)
   JOIN members m ON m.conversation_id = r.conversation_id AND m.user_id = r.user_id`,
);

/** A user in a conversation. */
export interface Place {
  readonly conversationId: string;
  readonly userId: string;
}

/** The sessions whose credential is live, with the scopes that bind them; null for a JWT, which is exempt (A.8). */
export async function liveSessions(
  db: Db,
  sessions: readonly ChatSession[],
): Promise<Map<ChatSession, ReadonlySet<string> | null>> {
  const live = new Map<ChatSession, ReadonlySet<string> | null>();
  if (sessions.length === 0) return live;
  // a column is null where the session came with the other kind of credential, and null equals nothing
  const rows = await db.read<{ n: number; scopes: string[] | null }>(LIVE, [
    sessions.map((session) => session.tokenHash),
    sessions.map((session) => session.sid),
    sessions.map((session) => session.userId),
    sessions.map((session) => session.workspaceId),
  ]);
  for (const { n, scopes } of rows) live.set(sessions[n - 1] as ChatSession, scopes && new Set(scopes));
  return live;
}

/** Places asked about by one statement. */
const PLACES_AT_ONCE = 20_000;

/** Those of the places that are memberships. */
export async function memberships(db: Db, places: readonly Place[]): Promise<Place[]> {
  const found: Place[] = [];
  for (let from = 0; from < places.length; from += PLACES_AT_ONCE) {
    const some = places.slice(from, from + PLACES_AT_ONCE);
    const rows = await db.read<{ n: number }>(MEMBERS, [
      some.map((place) => place.conversationId),
      some.map((place) => place.userId),
    ]);
    for (const { n } of rows) found.push(some[n - 1] as Place);
  }
  return found;
}
