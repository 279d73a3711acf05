import type { Db } from '../../kernel/database/db.js';
import { eachOf, statement } from '../../kernel/database/statement.js';
import type { ChatSession } from './chat-session.js';

/* Hand-written: every replica checks the permissions of all of its sockets at once. */

/** Which of these credentials still open a workspace, with an app token's scopes as they are now. */
const LIVE = statement(
  'chat_realtime_live',
  `SELECT r.n::int AS n, t.scopes
   FROM ${eachOf('$1::text[]')} AS r (hash, n)
   JOIN tokens t ON t.hash = r.hash AND t.revoked_at IS NULL
   JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
   JOIN users u ON u.workspace_id = w.id AND u.id = t.user_id AND u.deleted_at IS NULL
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   WHERE t.expires_at IS NULL OR t.expires_at > coalesce(
     sb.clock_frozen_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + sb.clock_offset, 0)
   UNION ALL
   SELECT r.n::int, NULL
   FROM ${eachOf('$2::text[]', '$3::text[]', '$4::text[]')} AS r (sid, account_id, workspace_id, n)
   JOIN sessions s ON s.sid = r.sid AND s.account_id = r.account_id AND s.ended_at IS NULL
   JOIN accounts a ON a.id = r.account_id AND a.deactivated_at IS NULL
   JOIN workspaces w ON w.id = r.workspace_id AND w.deleted_at IS NULL
   JOIN users u ON u.workspace_id = w.id AND u.id = r.account_id AND u.deleted_at IS NULL`,
);

const MEMBERS = statement(
  'chat_realtime_members',
  `SELECT m.conversation_id AS id, array_agg(u.n::int) AS "userNumbers"
   FROM ${eachOf('$2::text[]')} AS u (id, n)
   JOIN members m ON m.conversation_id = ANY($1::text[]) AND m.user_id = u.id
   GROUP BY m.conversation_id`,
);

/** A user in a conversation. */
export interface Membership {
  readonly conversationId: string;
  readonly userId: string;
}

/** Sessions judged by one statement. */
const SESSIONS_AT_ONCE = 2_000;

/**
 * The sessions whose credential is live, with the scopes that bind them; null for a JWT, which is exempt
 * (docs/reference/chat.md#scopes).
 */
export async function liveSessions(
  db: Db,
  sessions: readonly ChatSession[],
): Promise<Map<ChatSession, ReadonlySet<string> | null>> {
  const live = new Map<ChatSession, ReadonlySet<string> | null>();
  for (let from = 0; from < sessions.length; from += SESSIONS_AT_ONCE) {
    const some = sessions.slice(from, from + SESSIONS_AT_ONCE);
    // a column is null where the session came with the other kind of credential, and null equals nothing
    const rows = await db.read<{ n: number; scopes: string[] | null }>(LIVE, [
      some.map((session) => session.tokenHash),
      some.map((session) => session.sid),
      some.map((session) => session.userId),
      some.map((session) => session.workspaceId),
    ]);
    for (const { n, scopes } of rows) live.set(some[n - 1] as ChatSession, scopes && new Set(scopes));
  }
  return live;
}

/** Who of these users is a member of which of these conversations. */
export async function memberships(
  db: Db,
  conversationIds: readonly string[],
  userIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  if (conversationIds.length === 0 || userIds.length === 0) return found;
  const rows = await db.read<{ id: string; userNumbers: number[] }>(MEMBERS, [conversationIds, userIds]);
  for (const { id, userNumbers } of rows) found.set(id, new Set(userNumbers.map((n) => userIds[n - 1] as string)));
  return found;
}
