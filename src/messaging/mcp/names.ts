import { ChatRefusal, type ChatApi, type Fields } from './chat-api.js';
import { withoutAt } from '../../kernel/text/names.js';

/** Handles and channel names have no capital letters, so text of this form is an id. */
const ID = /^[A-Z][A-Z0-9]{8,}$/;

/** The largest page size, so that looking up a name takes as few calls as possible. */
const CHANNELS_A_PAGE = 999;
const USERS_A_PAGE = 1000;

/** Types of conversations that have a name or a counterpart, and the scope that lists them. */
const LISTED_BY: Record<string, string> = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
};

interface Listed {
  id: string;
  name?: string;
  user?: string;
}

/** The id of a conversation: an id as it is, `#general` or `general`, `@ann` or `U…` for the direct messages with her. */
export async function conversationId(api: ChatApi, value: string): Promise<string> {
  const given = value.trim();
  if (given.startsWith('@') || /^U[A-Z0-9]{8,}$/.test(given)) return directWith(api, await userId(api, given));
  if (ID.test(given)) return given;
  const name = given.replace(/^#/, '');
  const found = await first(pages<Listed>(listConversations(api), 'channels'), (channel) => channel.name === name);
  if (!found)
    throw new ChatRefusal('channel_not_found', `nothing this identity can see is named #${name}. ${CHANNELS}`);
  return found.id;
}

/** What chat.postMessage takes: it knows names itself, and users by id. */
export async function postingTarget(api: ChatApi, value: string): Promise<string> {
  const given = value.trim();
  return given.startsWith('@') ? userId(api, given) : given;
}

export const userId = async (api: ChatApi, value: string): Promise<string> =>
  (await userIds(api, [value]))[0] as string;

/** The ids of users: ids as they are, `@ann` or `ann` by handle, else by a display name that only one of them has. */
export async function userIds(api: ChatApi, values: readonly string[]): Promise<string[]> {
  const wanted = values.map((value) => value.trim());
  const names = new Set(wanted.filter((value) => !ID.test(value)).map(withoutAt));
  const handles = new Map<string, string>();
  const displayed = new Map<string, string[]>();
  if (names.size > 0) {
    for await (const user of pages<User>(
      (page) => api.call('users.list', { ...page, limit: USERS_A_PAGE }),
      'members',
    )) {
      if (names.has(user.name)) handles.set(user.name, user.id);
      const shown = user.profile?.display_name ?? '';
      if (!user.deleted && names.has(shown)) displayed.set(shown, [...(displayed.get(shown) ?? []), user.id]);
      if (handles.size === names.size) break;
    }
  }
  return wanted.map((value) => {
    if (ID.test(value)) return value;
    const name = withoutAt(value);
    const byDisplayName = displayed.get(name) ?? [];
    const id = handles.get(name) ?? (byDisplayName.length === 1 ? byDisplayName[0] : undefined);
    if (id !== undefined) return id;
    throw new ChatRefusal(
      'user_not_found',
      byDisplayName.length > 1
        ? `several people are shown as "${name}" (${byDisplayName.join(', ')}): give an id.`
        : `nobody in this workspace is named @${name}. svc_get_users shows everybody.`,
    );
  });
}

interface User {
  id: string;
  name: string;
  deleted?: boolean;
  profile?: { display_name?: string };
}

const CHANNELS = 'svc_list_channels shows the public ones.';
async function directWith(api: ChatApi, user: string): Promise<string> {
  const list = (page: Fields): Promise<Fields> =>
    api.call('conversations.list', { ...page, types: 'im', limit: CHANNELS_A_PAGE });
  const found = await first(pages<Listed>(list, 'channels'), (im) => im.user === user);
  if (!found) {
    throw new ChatRefusal(
      'channel_not_found',
      `there are no direct messages with ${user} yet: svc_open_dm opens them.`,
    );
  }
  return found.id;
}

type ListPage = (page: Fields) => Promise<Fields>;

/** Lists the types that the token may list; refused if it may list none. */
function listConversations(api: ChatApi): ListPage {
  let types = Object.keys(LISTED_BY);
  const list: ListPage = (page) =>
    api.call('conversations.list', { ...page, types: types.join(','), limit: CHANNELS_A_PAGE });
  return async (page) => {
    try {
      return await list(page);
    } catch (error) {
      if (!(error instanceof ChatRefusal) || error.code !== 'missing_scope') throw error;
      const allowed = types.filter((type) => error.provided?.includes(LISTED_BY[type] as string));
      if (allowed.length === 0 || allowed.length === types.length) throw error;
      types = allowed;
      return list(page);
    }
  };
}

/** All items of a list, page by page, as far as they are read. */
async function* pages<T>(list: ListPage, field: string): AsyncGenerator<T> {
  let cursor = '';
  do {
    const answer = await list(cursor === '' ? {} : { cursor });
    yield* answer[field] as T[];
    cursor = (answer['response_metadata'] as { next_cursor?: string } | undefined)?.next_cursor ?? '';
  } while (cursor !== '');
}

async function first<T>(items: AsyncIterable<T>, matches: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (matches(item)) return item;
  return undefined;
}
