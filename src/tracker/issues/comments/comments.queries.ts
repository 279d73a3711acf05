import { columnsOf } from '../../../kernel/database/columns.js';
import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { User } from '../../store/user.entity.js';
import { Team } from '../../store/team.entity.js';
import { Comment } from './comment.entity.js';

/* Hand-written: every change of a comment loads its team and people, so these are prepared once per connection. */
const TEAMS = statement(
  'tracker_teams_of_comment',
  `SELECT ${columnsOf(Team, 't')} FROM teams t WHERE t.id = ANY($1::uuid[]) ORDER BY t.id`,
);
const USERS = statement(
  'tracker_users_of_comments',
  `SELECT ${columnsOf(User, 'u')} FROM tracker_users u WHERE u.id = ANY($1::uuid[])`,
);

/* Hand-written: threads are locked and detached as sets, in an order that the query builder cannot express. */
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

/** For any caller, in the order of ids. */
export function teamsById(tx: Tx, ids: readonly string[]): Promise<Team[]> {
  return tx.query<Team & { [column: string]: unknown }>(TEAMS, [ids]);
}

export function usersById(tx: Tx, ids: readonly string[]): Promise<User[]> {
  return tx.query<User & { [column: string]: unknown }>(USERS, [ids]);
}

/** A comment and its replies, oldest first and itself last, all locked against changes. */
export function holdThread(tx: Tx, commentId: string): Promise<Comment[]> {
  return tx.query<Comment & { [column: string]: unknown }>(HOLD_THREAD, [commentId]);
}

/**
 * Removes references to these comments before they are deleted. Foreign keys would do it, but without updating
 * `updated_at` (docs/reference/tracker-webhooks.md#what-fires).
 */
export async function forgetComments(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
  await tx.query(FORGET_SOURCES, [ids, at]);
  await tx.query(FORGET_RESOLVING, [ids, at]);
}
