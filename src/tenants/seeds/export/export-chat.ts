import type { Tx } from '../../../kernel/database/db.js';
import {
  CONVERSATIONS_TO_EXPORT,
  MESSAGES_TO_EXPORT,
  BOOKMARKS_TO_EXPORT,
  USERGROUPS_TO_EXPORT,
  INCOMING_TO_EXPORT,
  OUTGOING_TO_EXPORT,
} from '../../../messaging/sandbox/export.queries.js';
import { formatTs } from '../../../messaging/store/message-ts.js';
import type { Usergroup } from '../../../messaging/store/usergroup.entity.js';
import { handleOf } from '../../../messaging/wire/usergroup-wire.js';
import type { ExportedApp } from './export-apps.js';
import { said, withNames, withNamesDeep, type ExportNames, type ExportRefs } from './names-out.js';

type Json = Record<string, unknown>;

interface Conversation extends Json {
  id: string;
  type: 'public' | 'private' | 'im' | 'mpim';
  name: string | null;
  topic: string;
  purpose: string;
  isGeneral: boolean;
  members: string[];
}

interface Message extends Json {
  conversationId: string;
  ts: number;
  threadTs: number | null;
  userId: string;
  botId: string | null;
  text: string;
  reactions: string | null;
  wire: string | null;
}

export interface ExportContext {
  readonly workspaceId: string;
  readonly adminId: string;
  readonly ids: boolean;
  readonly apps: readonly ExportedApp[];
  /** Ids of people; the other entries of `names.users` are bots. */
  readonly people: ReadonlySet<string>;
  readonly refs: ExportRefs;
}

/** Channels, direct messages and webhooks of a workspace in the format of a document. */
export interface ExportedChat {
  readonly channels: Json[];
  readonly dms: Json[];
  readonly usergroups: Json[];
  readonly incoming: Json[];
  readonly outgoing: Json[];
  /** The time of the newest message, in microseconds. */
  readonly newest: number;
}

export async function exportChat(
  tx: Tx,
  context: ExportContext,
  users: ReadonlyMap<string, string>,
): Promise<ExportedChat> {
  const conversations = await tx.query<Conversation>(CONVERSATIONS_TO_EXPORT, [context.workspaceId]);
  const channels = new Map(
    conversations.flatMap(({ id, name, type }) => (name !== null && type !== 'mpim' ? [[id, name] as const] : [])),
  );
  const groups = await tx.query<Usergroup & Json>(USERGROUPS_TO_EXPORT, [context.workspaceId]);
  const names = { users, channels, usergroups: new Map(groups.map(({ id, handle }) => [id, handle])) };
  const byConversation = new Map<string, Message[]>();
  let newest = 0;
  for (const message of await tx.query<Message>(MESSAGES_TO_EXPORT, [context.workspaceId])) {
    const list = byConversation.get(message.conversationId) ?? [];
    list.push(message);
    byConversation.set(message.conversationId, list);
    newest = Math.max(newest, message.ts);
  }
  const bookmarks = await tx.query<Json>(BOOKMARKS_TO_EXPORT, [context.workspaceId]);
  const bookmarksOf = (id: string): Json[] =>
    bookmarks.flatMap(({ conversationId, ...bookmark }) => (conversationId === id ? [said(bookmark)] : []));
  const messagesOf = (id: string): Json[] => exportMessages(byConversation.get(id) ?? [], context, names);
  const namesOf = (members: readonly string[]): string[] => members.flatMap((id) => users.get(id) ?? []).sort();
  return {
    channels: conversations
      .filter(({ type }) => type === 'public' || type === 'private')
      .flatMap((channel) => {
        const one = said({
          name: channel.name,
          id: context.ids ? channel.id : undefined,
          is_private: channel.type === 'private' ? true : undefined,
          without_owner: lacksOwner(channel, context) || undefined,
          topic: channel.topic,
          purpose: channel.purpose,
          members: namesOf(exportedMembers(channel, context)),
          bookmarks: bookmarksOf(channel.id),
          messages: messagesOf(channel.id),
        });
        const isMadeAnyway = channel.name === 'general' || channel.name === 'random';
        return isMadeAnyway && Object.keys(one).length === 1 ? [] : [one];
      }),
    dms: conversations
      .filter(({ type }) => type === 'im' || type === 'mpim')
      .map(({ id, members }) => said({ members: namesOf(members), messages: messagesOf(id) }))
      .filter(({ members }) => members !== undefined)
      .sort((a, b) => (JSON.stringify(a['members']) < JSON.stringify(b['members']) ? -1 : 1)),
    usergroups: groups.map((group) => exportUsergroup(group, context, names)),
    ...(await exportHooks(tx, context, names)),
    newest,
  };
}

/** Those that each workspace begins with have the owner whatever a document says. */
const lacksOwner = ({ members, name, isGeneral }: Conversation, { adminId }: ExportContext): boolean =>
  !members.includes(adminId) && !isGeneral && name !== 'random' && name !== 'general';

/**
 * Without members that every new workspace has: the admin, everyone in #general, the default app's bot in the initial
 * channels.
 */
function exportedMembers(
  { members, isGeneral, name }: Conversation,
  { adminId, people, apps }: ExportContext,
): string[] {
  const isMadeAnyway = isGeneral || name === 'general' || name === 'random';
  const defaultBot = apps.find(({ isDefault }) => isDefault)?.botUserId;
  return members.filter(
    (id) => id !== adminId && !(isGeneral && people.has(id)) && !(isMadeAnyway && id === defaultBot),
  );
}

function exportMessages(messages: readonly Message[], { ids, refs, apps }: ExportContext, names: ExportNames): Json[] {
  const byTs = new Map(messages.map((message) => [message.ts, message]));
  const keyOf = ({ conversationId, ts }: Message): string => `${conversationId}/${formatTs(ts)}`;
  const roots = new Set(messages.flatMap(({ threadTs }) => threadTs ?? []));
  return messages.flatMap((message) => {
    const { ts, threadTs, userId, botId } = message;
    const root = threadTs === null || threadTs === ts ? undefined : byTs.get(threadTs);
    // a document cannot express replies whose parent is not exported
    if (threadTs !== null && threadTs !== ts && !root) return [];
    const app = botId === null ? undefined : apps.find((one) => one.botId === botId);
    const as = app?.name ?? names.users.get(userId);
    if (as === undefined) return [];
    const wire = (message.wire === null ? {} : JSON.parse(message.wire)) as Json;
    const one = said({
      as,
      text: withNames(message.text, names),
      blocks: withNamesDeep(wire['blocks'], names),
      attachments: withNamesDeep(wire['attachments'], names),
      ...(ids ? { ts: formatTs(ts) } : { at: new Date(Math.floor(ts / 1000)).toISOString() }),
      thread: root && refs.ensure(keyOf(root), 'thread-1'),
      ref: roots.has(ts) ? refs.ensure(keyOf(message), 'thread-1') : refs.of(keyOf(message)),
      reactions: reactionsOf(message, names),
    });
    return one['text'] === undefined && one['blocks'] === undefined && one['attachments'] === undefined ? [] : [one];
  });
}

function reactionsOf({ reactions }: Message, { users }: ExportNames): Json | undefined {
  if (reactions === null) return undefined;
  const all = JSON.parse(reactions) as { name: string; users: string[] }[];
  const named = all.map(({ name, users: by }) => [name, by.flatMap((id) => users.get(id) ?? [])] as const);
  const some = named.filter(([, by]) => by.length > 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}

function exportUsergroup(
  { id, name, handle, description, userIds, channelIds, groupIds }: Usergroup,
  { refs }: ExportContext,
  { users, channels }: ExportNames,
): Json {
  return said({
    name,
    handle: handle === handleOf(name) ? undefined : handle,
    description,
    users: userIds.flatMap((user) => users.get(user) ?? []),
    channels: [...channelIds, ...groupIds].flatMap((channel) => channels.get(channel) ?? []),
    ref: refs.of(id),
  });
}

async function exportHooks(tx: Tx, { workspaceId, apps, refs }: ExportContext, { channels }: ExportNames) {
  interface Incoming extends Json {
    id: string;
    appId: string;
    conversationId: string;
    name: string;
    icons: { emoji?: string; image_48?: string } | null;
  }
  interface Outgoing extends Json {
    id: string;
    url: string;
    names: string[];
    name: string | null;
    conversationId: string | null;
  }
  const incoming = (await tx.query<Incoming>(INCOMING_TO_EXPORT, [workspaceId])).flatMap((hook) => {
    const app = apps.find(({ id }) => id === hook.appId);
    const channel = channels.get(hook.conversationId);
    if (!app || channel === undefined) return [];
    const name = hook.name === app.name ? undefined : hook.name;
    const { emoji, image_48: image } = hook.icons ?? {};
    return [said({ app: app.name, channel, name, icon_emoji: emoji, icon_url: image, ref: refs.of(hook.id) })];
  });
  const outgoing = (await tx.query<Outgoing>(OUTGOING_TO_EXPORT, [workspaceId])).flatMap((hook) => {
    const channel = hook.conversationId === null ? undefined : channels.get(hook.conversationId);
    if (hook.conversationId !== null && channel === undefined) return [];
    return [said({ url: hook.url, events: hook.names, name: hook.name, channel, ref: refs.of(hook.id) })];
  });
  return { incoming, outgoing };
}
