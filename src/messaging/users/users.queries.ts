import type { Db, Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { readPage } from '../rpc/page-texts.js';
import { pageStatement } from '../rpc/page-texts.queries.js';
import type { Identity } from '../access/identity.js';
import { userColumns, type StoredProfile, type User } from '../store/user.entity.js';

/* Hand-written: lists that leave the database as text; the rest is prepared, on the way of users.info. */

const USER = statement('chat_user', `SELECT ${userColumns('u')} FROM users u WHERE u.workspace_id = $1 AND u.id = $2`);

/** An address is stored in lower case, and is of one account; a bot has none. */
const USER_BY_EMAIL = statement(
  'chat_user_by_email',
  `SELECT ${userColumns('u')} FROM users u WHERE u.workspace_id = $1 AND lower(u.email) = $2 AND u.deleted_at IS NULL`,
);

const USER_FOR_UPDATE = statement(
  'chat_user_for_update',
  `SELECT ${userColumns('u')} FROM users u WHERE u.workspace_id = $1 AND u.id = $2 FOR NO KEY UPDATE`,
);

/** $2 is the user that the page begins with, null for the first; $3 null for all. */
const USERS_PAGE = pageStatement(
  'chat_users_page',
  `SELECT ${userColumns('u')} FROM users u
   WHERE u.workspace_id = $1 AND ($2::text IS NULL OR (u.created_at, u.id) >=
     (SELECT f.created_at, f.id FROM users f WHERE f.workspace_id = $1 AND f.id = $2))
   ORDER BY u.created_at, u.id LIMIT $3::int`,
);

const UPDATE_PROFILE = statement(
  'chat_update_profile',
  'UPDATE users SET profile = $3, updated_at = greatest($4, updated_at) WHERE workspace_id = $1 AND id = $2',
);

type Of = Pick<Identity, 'workspaceId'>;

export async function findUser(db: Db, caller: Of, id: string): Promise<User | undefined> {
  return (await db.read<User>(USER, [caller.workspaceId, id]))[0];
}

export async function findUserByEmail(db: Db, caller: Of, email: string): Promise<User | undefined> {
  return (await db.read<User>(USER_BY_EMAIL, [caller.workspaceId, email]))[0];
}

/** The row stays locked until the commit: changes of a profile come one after the other. */
export async function lockUser(tx: Tx, caller: Of, id: string): Promise<User | undefined> {
  return (await tx.query<User>(USER_FOR_UPDATE, [caller.workspaceId, id]))[0];
}

/**
 * Users by creation, then id, as the text of their rows.
 * @param from the user that the page begins with; nobody is answered when there is no such user
 * @param limit null = all
 */
export const usersPage = (db: Db, caller: Of, from: string | undefined, limit: number | null): Promise<string> =>
  readPage(db, USERS_PAGE, [caller.workspaceId, from ?? null, limit]);

/** @param at microseconds */
export async function updateProfile(tx: Tx, user: User, profile: StoredProfile, at: number): Promise<void> {
  await tx.query(UPDATE_PROFILE, [user.workspaceId, user.id, JSON.stringify(profile), at]);
}
