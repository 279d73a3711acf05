import { columnsOf } from '../../kernel/database/columns.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { Favorite } from './favorite.entity.js';

/* Hand-written: those of many issues or projects at once, and a lock. */

const favoriteOf = (column: 'issue_id' | 'project_id') =>
  keyedLoader<Favorite & { key: string }, Favorite | null>({
    statement: statement(
      `tracker_favorites_by_${column}`,
      `SELECT f.${column} AS key, ${columnsOf(Favorite, 'f')} FROM favorites f
       WHERE f.${column} = ANY($1::uuid[]) AND f.organization_id = $2::uuid AND f.owner_id = $3::uuid`,
    ),
    values: (ids, { organizationId, userId }) => [ids, organizationId, userId],
    answer: ([favorite]) => favorite ?? null,
  });

/** The caller's. */
export const favoriteOfIssue = favoriteOf('issue_id');
export const favoriteOfProject = favoriteOf('project_id');

/** Favorites of a person are made one after the other, so that a thing is there once. */
const LOCK = statement('tracker_lock_favorites', 'SELECT pg_advisory_xact_lock(7430257, hashtext($1))');

export async function lockFavorites(tx: Tx, ownerId: string): Promise<void> {
  await tx.query(LOCK, [ownerId]);
}
