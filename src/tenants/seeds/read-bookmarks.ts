import {
  bookmarkEmoji,
  isBookmarkLink,
  MAX_BOOKMARK_TITLE,
  MAX_BOOKMARKS,
} from '../../messaging/wire/bookmark-wire.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedBookmark } from './seed-types.js';

/** Bookmarks of a channel, in their order. */
export function readBookmarks(value: unknown, path: string, read: SeedReader): SeedBookmark[] {
  const list = read.list(value, path);
  if (list.length > MAX_BOOKMARKS) read.fault(path, `must hold at most ${MAX_BOOKMARKS}`);
  return list.slice(0, MAX_BOOKMARKS).map((one, i) => {
    const at = `${path}[${i}]`;
    const bookmark = read.object(one, at, 'title link emoji');
    const link = read.text(bookmark['link'], `${at}.link`) ?? '';
    if (!isBookmarkLink(link)) read.fault(`${at}.link`, 'must be an http or https URL');
    const named = read.text(bookmark['emoji'], `${at}.emoji`, 100) ?? '';
    const emoji = named === '' ? '' : bookmarkEmoji(named);
    if (emoji === undefined) read.fault(`${at}.emoji`, 'is no name of an emoji');
    return { title: read.name(bookmark['title'], `${at}.title`, MAX_BOOKMARK_TITLE), link, emoji: emoji ?? '' };
  });
}
