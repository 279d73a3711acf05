import { canonicalJson } from '../../kernel/text/canonical-json.js';
import { formatTs } from '../../messaging/store/message-ts.js';
import { withNames, withNamesDeep, type ExportNames } from '../seeds/export/names-out.js';
import { column, hashOf, sorted, type Row, type StateEntity, type StateRows } from './state-entity.js';

type Json = Record<string, unknown>;

/** Tables that are read beside those of the entities. */
export const CHAT_TABLES = ['members', 'pins', 'reactions', 'file_shares', 'files'];

/** An id that the server gave to a block or an element without one. */
const MADE_UP_ID = /^[A-Za-z0-9]{5}$/;

/** What the messages of a state say of everything else by name. */
export class ChatWorld {
  private readonly names: ExportNames;
  private readonly members: ReadonlyMap<string, Row[]>;
  private readonly reactions: ReadonlyMap<string, Row[]>;
  private readonly shares: ReadonlyMap<string, Row[]>;
  private readonly pins: ReadonlyMap<string, Row[]>;

  constructor(private readonly rows: StateRows) {
    const named = (table: string, name = 'name'): Map<string, string> =>
      new Map(rows.of(table).flatMap((row) => (row[name] === null ? [] : [[String(row['id']), String(row[name])]])));
    this.names = {
      users: named('users'),
      channels: new Map(
        rows
          .of('conversations')
          .flatMap(({ id, name, type }) =>
            type === 'public' || type === 'private' ? [[String(id), String(name)] as const] : [],
          ),
      ),
      usergroups: named('usergroups', 'handle'),
    };
    this.members = rows.grouped('members', ({ conversation_id: id }) => String(id));
    this.reactions = rows.grouped('reactions', keyOfMessage);
    this.shares = rows.grouped('file_shares', keyOfMessage);
    this.pins = rows.grouped('pins', keyOfMessage);
  }

  user = (id: unknown): string => this.names.users.get(String(id)) ?? String(id);

  users = (ids: unknown): string[] => sorted((ids as unknown[]).map(this.user));

  /** The name of a channel, or the names of those who write to each other. */
  channel = (id: unknown): string => this.names.channels.get(String(id)) ?? this.membersOf(id).join(',');

  membersOf = (id: unknown): string[] =>
    this.users((this.members.get(String(id)) ?? []).map(({ user_id: user }) => user));

  text = (text: unknown): string => withNames(String(text ?? ''), this.names);

  /** Blocks or attachments, without the ids that the server gave to their parts. */
  parts = (value: unknown): unknown => withoutMadeUpIds(withNamesDeep(value, this.names));

  app = (id: unknown): unknown => this.rows.by('apps', 'id', id)?.['name'] ?? id;

  /** Who posted: a person, an app or a webhook. */
  by = ({ user_id: user, bot_id: bot, wire }: Row): string => {
    const app = this.rows.by('apps', 'bot_id', bot) ?? this.rows.by('incoming_webhooks', 'id', bot);
    if (bot !== null && app) return String(app['name']);
    return user === null || user === undefined ? String(memberOf(wire, 'username') ?? '') : this.user(user);
  };

  thread = ({ conversation_id: conversation, ts, thread_ts: thread }: Row): string | null => {
    if (thread === null || thread === ts) return null;
    const parent = this.messages.get(`${String(conversation)} ${String(thread)}`);
    if (!parent) return hashOf({ channel: this.channel(conversation), by: null, text: null });
    return hashOf({ channel: this.channel(conversation), by: this.by(parent), text: this.text(parent['text']) });
  };

  reactionsOf = (row: Row): Record<string, string[]> => {
    const byName = new Map<string, unknown[]>();
    for (const { name, user_id: user } of this.reactions.get(keyOfMessage(row)) ?? []) {
      byName.set(String(name), [...(byName.get(String(name)) ?? []), user]);
    }
    return Object.fromEntries([...byName].map(([name, users]) => [name, this.users(users)]));
  };

  isPinned = (row: Row): boolean => this.pins.has(keyOfMessage(row));

  filesOf = (row: Row): Json[] =>
    (this.shares.get(keyOfMessage(row)) ?? [])
      .flatMap(({ file_id: id }) => {
        const file = this.rows.by('files', 'id', id);
        return file ? [{ name: String(file['name']), sha256: file['content_hash'] }] : [];
      })
      .sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));

  private found: Map<string, Row> | undefined;

  private get messages(): Map<string, Row> {
    this.found ??= new Map(this.rows.of('messages').map((row) => [keyOfMessage(row), row]));
    return this.found;
  }
}

const keyOfMessage = ({ conversation_id: conversation, ts }: Row): string => `${String(conversation)} ${String(ts)}`;

/** A member of a message's JSON, which is not parsed where it has none. */
const memberOf = (wire: unknown, name: string): unknown =>
  typeof wire === 'string' && wire.includes(`"${name}":`) ? (JSON.parse(wire) as Json)[name] : undefined;

function withoutMadeUpIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMadeUpIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, id]) => !((key === 'block_id' || key === 'action_id') && typeof id === 'string' && MADE_UP_ID.test(id)),
      )
      .map(([key, one]) => [key, withoutMadeUpIds(one)]),
  );
}

const profile =
  (key: string) =>
  ({ profile: of }: Row): unknown =>
    (of as Json)[key] ?? '';

const ID = { id: column('id') };

/** Chat's part of a state (docs/reference/sandboxes.md#state). */
export const CHAT_STATE: readonly StateEntity<ChatWorld>[] = [
  {
    name: 'user',
    table: 'users',
    fields: {
      name: column('name'),
      real_name: profile('real_name'),
      is_admin: ({ role }) => role !== 'member',
      is_bot: column('is_bot'),
      deleted: ({ deleted_at: deleted }) => deleted !== null,
      title: profile('title'),
      status_text: profile('status_text'),
      status_emoji: profile('status_emoji'),
    },
    ids: ID,
  },
  {
    name: 'channel',
    table: 'conversations',
    fields: {
      name: ({ name, type }) => (type === 'im' ? null : name),
      type: column('type'),
      topic: ({ topic }, { text }) => text(topic),
      purpose: ({ purpose }, { text }) => text(purpose),
      archived: column('is_archived'),
      members: ({ id }, { membersOf }) => membersOf(id),
    },
    ids: ID,
  },
  {
    name: 'message',
    table: 'messages',
    fields: {
      channel: ({ conversation_id: id }, { channel }) => channel(id),
      by: (row, { by }) => by(row),
      subtype: column('subtype'),
      text: ({ text: said }, { text }) => text(said),
      blocks: ({ wire }, { parts }) => parts(memberOf(wire, 'blocks') ?? []),
      attachments: ({ wire }, { parts }) => parts(memberOf(wire, 'attachments') ?? []),
      metadata: ({ metadata }) => (typeof metadata === 'string' ? JSON.parse(metadata) : null),
      files: (row, { filesOf }) => filesOf(row),
      thread: (row, { thread }) => thread(row),
      broadcast: column('is_broadcast'),
      pinned: (row, { isPinned }) => isPinned(row),
      reactions: (row, { reactionsOf }) => reactionsOf(row),
    },
    ids: {
      ts: ({ ts }) => formatTs(Number(ts)),
      thread_ts: ({ thread_ts: thread }) => (thread === null ? null : formatTs(Number(thread))),
    },
  },
  {
    name: 'scheduled_message',
    table: 'scheduled_messages',
    fields: {
      channel: ({ conversation_id: id }, { channel }) => channel(id),
      by: ({ app_id: app, user_id: user }, world) => (app === null ? world.user(user) : world.app(app)),
      text: ({ text: said }, { text }) => text(said),
    },
    ids: ID,
  },
  {
    name: 'app',
    table: 'apps',
    fields: {
      name: column('name'),
      bot_scopes: ({ bot_scopes: scopes }) => sorted(scopes as string[]),
      user_scopes: ({ user_scopes: scopes }) => sorted(scopes as string[]),
    },
    ids: ID,
  },
  {
    name: 'installation',
    table: 'apps',
    holds: ({ installed_at: installed, bot_state: bot }) => installed !== null && bot === 'live',
    fields: {
      product: () => 'chat',
      app: column('name'),
      user: () => null,
      scopes: ({ bot_scopes: scopes }) => sorted(scopes as string[]),
    },
  },
  {
    // of what people consented to
    name: 'installation',
    table: 'tokens',
    holds: ({ kind, is_consented: consented, revoked_at: revoked }) =>
      kind === 'user' && consented === true && revoked === null,
    fields: {
      product: () => 'chat',
      app: ({ app_id: id }, { app }) => app(id),
      user: ({ user_id: id }, { user }) => user(id),
      scopes: ({ scopes }) => sorted(scopes as string[]),
    },
  },
  {
    name: 'command',
    table: 'slash_commands',
    fields: { app: ({ app_id: id }, { app }) => app(id), command: column('command') },
    ids: ID,
  },
  {
    name: 'incoming_webhook',
    table: 'incoming_webhooks',
    fields: {
      app: ({ app_id: id }, { app }) => app(id),
      channel: ({ conversation_id: id }, { channel }) => channel(id),
      name: column('name'),
    },
  },
  {
    name: 'usergroup',
    table: 'usergroups',
    holds: ({ deleted_at: deleted }) => deleted === null,
    fields: {
      name: column('name'),
      handle: column('handle'),
      description: column('description'),
      users: ({ user_ids: ids }, { users }) => users(ids),
      channels: ({ channel_ids: channels, group_ids: groups }, { channel }) =>
        sorted([...(channels as string[]), ...(groups as string[])].map(channel)),
    },
    ids: ID,
  },
  {
    name: 'bookmark',
    table: 'bookmarks',
    fields: {
      channel: ({ conversation_id: id }, { channel }) => channel(id),
      title: column('title'),
      link: column('link'),
      emoji: column('emoji'),
    },
    ids: ID,
  },
];
