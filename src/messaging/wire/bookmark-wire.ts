import type { Bookmark } from '../store/bookmark.entity.js';
import { isEmojiName } from './emoji.js';

export const MAX_BOOKMARK_TITLE = 255;
/** Most bookmarks of a conversation. */
export const MAX_BOOKMARKS = 100;

/** An http or https URL of at most 3,000 characters. */
export const isBookmarkLink = (link: string): boolean =>
  link.length <= 3_000 && /^https?:\/\//i.test(link) && URL.canParse(link);

/** An emoji's name with its colons; undefined: there is no such emoji. */
export function bookmarkEmoji(sent: string): string | undefined {
  const name = sent.replace(/^:|:$/g, '');
  return isEmojiName(name) ? `:${name}:` : undefined;
}

export const toWireBookmark = (bookmark: Bookmark, workspaceId: string): Record<string, unknown> => ({
  id: bookmark.id,
  channel_id: bookmark.conversationId,
  title: bookmark.title,
  link: bookmark.link,
  emoji: bookmark.emoji,
  icon_url: '',
  type: 'link',
  entity_id: null,
  date_created: bookmark.createdAt,
  date_updated: bookmark.updatedAt,
  rank: bookmark.rank,
  last_updated_by_user_id: bookmark.updatedBy,
  last_updated_by_team_id: workspaceId,
  shortcut_id: null,
  app_id: null,
});
