import { ErrorOrder, IgnoredArg, StringArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { bookmarkEmoji, isBookmarkLink, MAX_BOOKMARK_TITLE } from '../wire/bookmark-wire.js';

const noType = new Fault('must be link', 'invalid_bookmark_type');
const noLink = new Fault('must be an http or https URL', 'invalid_link');
const noEmoji = new Fault('is no emoji', 'invalid_emoji');

const readLink = (text: string): unknown => (isBookmarkLink(text) ? text : noLink);
const CHANNEL = { required: true, notes: 'conversation id' };
const EMOJI = { read: (text: string): unknown => bookmarkEmoji(text) ?? noEmoji };

/** Errors of the place of a bookmark. */
const PLACE_ERRORS = ['channel_not_found', 'permission_denied'] as const;

/** Arguments of bookmarks.add. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_bookmark_type',
  'invalid_link',
  'invalid_emoji',
  ...PLACE_ERRORS,
  'too_many_bookmarks',
)
export class BookmarksAddArgs {
  @StringArg(CHANNEL) channel_id!: string;
  @StringArg({ required: true, max: MAX_BOOKMARK_TITLE }) title!: string;
  @StringArg({ required: true, read: (text) => (text === 'link' ? text : noType), notes: 'link' }) type!: string;
  @StringArg({ missing: 'invalid_link', required: true, read: readLink, notes: 'http or https' }) link!: string;
  @StringArg({ ...EMOJI, notes: 'name of an emoji' }) emoji?: string;
  @IgnoredArg({ notes: 'accepted, no effect' }) entity_id?: unknown;
  @IgnoredArg({ notes: 'accepted, no effect' }) access_level?: unknown;
  @IgnoredArg({ notes: 'accepted, no effect' }) parent_id?: unknown;
}

/** Arguments of bookmarks.edit. */
@ErrorOrder('invalid_arguments', 'invalid_link', 'invalid_emoji', ...PLACE_ERRORS, 'not_found')
export class BookmarksEditArgs {
  @StringArg(CHANNEL) channel_id!: string;
  @StringArg({ required: true, notes: 'bookmark id' }) bookmark_id!: string;
  @StringArg({ max: MAX_BOOKMARK_TITLE }) title?: string;
  @StringArg({ read: readLink, notes: 'http or https' }) link?: string;
  @StringArg({
    keepEmpty: true,
    read: (text) => (text === '' ? '' : (bookmarkEmoji(text) ?? noEmoji)),
    notes: 'name of an emoji; empty: none',
  })
  emoji?: string;
}

/** Arguments of bookmarks.remove. */
@ErrorOrder('invalid_arguments', ...PLACE_ERRORS, 'not_found')
export class BookmarksRemoveArgs {
  @StringArg(CHANNEL) channel_id!: string;
  @StringArg({ required: true, notes: 'bookmark id' }) bookmark_id!: string;
  @IgnoredArg({ notes: 'accepted, no effect' }) quip_section_id?: unknown;
}

/** Arguments of bookmarks.list. */
@ErrorOrder('invalid_arguments', ...PLACE_ERRORS)
export class BookmarksListArgs {
  @StringArg(CHANNEL) channel_id!: string;
}
