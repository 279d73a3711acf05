import { columnsOf } from '../../../kernel/database/columns.js';
import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { User } from '../../organization/users/user.entity.js';
import { Team } from '../../teams/team.entity.js';
import { Comment } from './comment.entity.js';

/* By hand: every comment that is written asks for its team and people, so these are prepared once a connection. */
const TEAMS = statement(
  'tracker_teams_of_comment',
  `SELECT ${columnsOf(Team, 't')} FROM teams t WHERE t.id = ANY($1::uuid[]) ORDER BY t.id`,
);
const USERS = statement(
  'tracker_users_of_comments',
  `SELECT ${columnsOf(User, 'u')} FROM tracker_users u WHERE u.id = ANY($1::uuid[])`,
);
const FOLLOW = statement(
  'tracker_commenter_follows',
  `INSERT INTO issue_subscribers (issue_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
);

/* By hand: a thread is held and left behind as a set, in an order that the builder has no words for. */
const HOLD_THREAD = statement(
  'tracker_hold_thread',
  `SELECT ${columnsOf(Comment, 'c')} FROM comments c WHERE c.id = $1::uuid OR c.parent_id = $1::uuid
   ORDER BY c.id = $1::uuid, c.created_at, c.id FOR UPDATE`,
);
const FORGET_SOURCES = statement(
  'tracker_forget_source_comments',
  `UPDATE issues SET source_comment_id = NULL, updated_at = $2::timestamptz WHERE source_comment_id = ANY($1::uuid[])`,
);
const FORGET_RESOLVING = statement(
  'tracker_forget_resolving_comments',
  `UPDATE comments SET resolving_comment_id = NULL, updated_at = $2::timestamptz
   WHERE resolving_comment_id = ANY($1::uuid[]) AND id <> ALL($1::uuid[])`,
);

/** Whoever asks, in the order of their ids. */
export function teamsById(tx: Tx, ids: readonly string[]): Promise<Team[]> {
  return tx.query<Team & { [column: string]: unknown }>(TEAMS, [ids]);
}

export function usersById(tx: Tx, ids: readonly string[]): Promise<User[]> {
  return tx.query<User & { [column: string]: unknown }>(USERS, [ids]);
}

/** Idempotent: subscribing again changes nothing. */
export async function follow(tx: Tx, issueId: string, userId: string): Promise<void> {
  await tx.query(FOLLOW, [issueId, userId]);
}

/** A comment and its replies, oldest first and itself last, none of them to be changed by others any more. */
export function holdThread(tx: Tx, commentId: string): Promise<Comment[]> {
  return tx.query<Comment & { [column: string]: unknown }>(HOLD_THREAD, [commentId]);
}

/**
 * Nothing refers to these comments, which are about to go, any more. Foreign keys would do it, but leave `updated_at`
 * behind (docs/reference/tracker-webhooks.md#what-fires).
 */
export async function forgetComments(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
  await tx.query(FORGET_SOURCES, [ids, at]);
  await tx.query(FORGET_RESOLVING, [ids, at]);
}
