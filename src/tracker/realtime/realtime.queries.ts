import type { Db } from '../../kernel/database/db.js';
import { eachOf, statement } from '../../kernel/database/statement.js';
import type { TrackerSession } from './tracker-session.js';

/* Hand-written: every replica checks the permissions of all of its sockets at once. */

const HOLDER = `u.admin, u.all_public_teams AS "allPublicTeams", ARRAY(SELECT m.team_id FROM team_memberships m WHERE m.user_id = u.id AND m.team_id = ANY($5::uuid[])) AS "teamIds"`;

/** Which of these credentials are still valid for the organization, and their users' permissions. */
const LIVE = statement(
  'tracker_realtime_live',
  `SELECT r.n::int AS n, ${HOLDER}
   FROM ${eachOf('$1::text[]', '$2::uuid[]')} AS r (hash, user_id, n)
   JOIN api_keys k ON k.hash = r.hash AND k.revoked_at IS NULL
   JOIN tracker_users u ON u.id = k.user_id AND u.id = r.user_id AND u.active
   JOIN organizations o ON o.id = u.organization_id
   UNION ALL
   SELECT r.n::int, ${HOLDER}
   FROM ${eachOf('$3::text[]', '$4::uuid[]')} AS r (sid, user_id, n)
   JOIN tracker_users u ON u.id = r.user_id AND u.active
   JOIN organizations o ON o.id = u.organization_id
   JOIN sessions s ON s.sid = r.sid AND s.account_id = u.account_id AND s.ended_at IS NULL
   JOIN accounts a ON a.id = u.account_id AND a.deactivated_at IS NULL`,
);

/** A live session's user as of now. */
export interface Holder {
  readonly admin: boolean;
  /** False: the user sees the teams of which it is a member alone. */
  readonly allPublicTeams: boolean;
  /** Of the requested teams, those that the user is a member of. */
  readonly teamIds: readonly string[];
}

/** The sessions whose credential is live. @param teamIds private teams with events in this batch */
export async function liveSessions(
  db: Db,
  sessions: readonly TrackerSession[],
  teamIds: readonly string[],
): Promise<Map<TrackerSession, Holder>> {
  const live = new Map<TrackerSession, Holder>();
  if (sessions.length === 0) return live;
  const userIds = sessions.map((session) => session.userId);
  // null equals nothing: each session is found by its own kind of credential
  const rows = await db.read<Holder & { n: number }>(LIVE, [
    sessions.map((session) => session.credential.keyHash),
    userIds,
    sessions.map((session) => session.credential.sid),
    userIds,
    teamIds,
  ]);
  for (const { n, admin, allPublicTeams, teamIds: memberOf } of rows)
    live.set(sessions[n - 1] as TrackerSession, { admin, allPublicTeams, teamIds: memberOf });
  return live;
}
