import type { Tx } from '../../kernel/database/db.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newId } from '../../kernel/ids/ids.js';
import { Bookmark, rankOf } from '../../messaging/store/bookmark.entity.js';
import { MAX_BOOKMARKS } from '../../messaging/wire/bookmark-wire.js';
import type { KnownObjects, SeedContext } from './known-objects.js';
import type { Seed } from './seed-types.js';

/**
 * Stores the bookmarks of a document's channels, after those that are there.
 * @param at seconds
 * @throws RestError 409 too_many_bookmarks, with the path
 */
export async function addBookmarks(
  tx: Tx,
  { adminId }: SeedContext,
  { channels }: Seed,
  known: KnownObjects,
  at: number,
): Promise<void> {
  for (const { name, bookmarks, path } of channels) {
    if (bookmarks.length === 0) continue;
    const conversationId = known.channels.get(name)?.id as string;
    const there = await tx.sql.countBy(Bookmark, { conversationId });
    if (there + bookmarks.length > MAX_BOOKMARKS) {
      throw new RestError(409, 'too_many_bookmarks', undefined, `${path}.bookmarks`);
    }
    const [last] = await tx.sql.find(Bookmark, { where: { conversationId }, order: { rank: 'DESC' }, take: 1 });
    const first = last ? Number.parseInt(last.rank, 36) + 1 : 0;
    const made = bookmarks.map((bookmark, i) => ({
      id: newId('Bk'),
      conversationId,
      ...bookmark,
      rank: rankOf(first + i),
      appId: null,
      updatedBy: adminId,
      createdAt: at,
      updatedAt: 0,
    }));
    await insertMany(tx, Bookmark, made);
  }
}
