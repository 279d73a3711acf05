import type { PublicUrl } from '../../kernel/http/public-url.js';
import { named, type NameOf, type SandboxEntity, type StoredRow } from '../../kernel/sandbox/sandbox-entities.js';
import type { NewApp } from '../store/app.entity.js';
import { toWireBookmark } from '../wire/bookmark-wire.js';
import { toWireApp } from '../wire/control-wire.js';
import { toWireChannel } from '../wire/conversation-wire.js';
import { toWireUser } from '../wire/user-wire.js';
import { toWireUsergroup } from '../wire/usergroup-wire.js';
import type { Bookmark } from '../store/bookmark.entity.js';
import type { Conversation } from '../store/conversation.entity.js';
import { formatTs } from '../store/message-ts.js';
import type { User } from '../store/user.entity.js';
import type { Usergroup } from '../store/usergroup.entity.js';

/** A stored row under the names that its class has. */
const camel = (row: StoredRow): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_: string, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const sorted = (scopes: unknown): unknown => (Array.isArray(scopes) ? scopes.toSorted() : scopes);
const seconds = (micros: unknown): number => Math.floor(Number(micros) / 1e6);
const person = (id: unknown, nameOf: NameOf): object => ({ user: id, ...named('user_name', nameOf(id)) });
const place = (id: unknown, nameOf: NameOf): object => ({ channel: id, ...named('channel_name', nameOf(id)) });
const ofApp = (id: unknown, nameOf: NameOf): object => ({ app_id: id, ...named('app_name', nameOf(id)) });

function message(row: StoredRow, nameOf: NameOf): Record<string, unknown> {
  const shown = JSON.parse(String(row['wire'])) as Record<string, unknown>;
  const replies = Number(row['reply_count']);
  return {
    ...shown,
    ...place(row['conversation_id'], nameOf),
    ...named('user_name', nameOf(row['user_id'])),
    ...(replies > 0 && {
      thread_ts: shown['ts'],
      reply_count: replies,
      reply_users_count: row['reply_users_count'],
      reply_users: row['reply_users'],
      latest_reply: formatTs(Number(row['latest_reply'])),
    }),
    ...(typeof row['reactions'] === 'string' && { reactions: JSON.parse(row['reactions']) as unknown }),
    ...(typeof row['metadata'] === 'string' && { metadata: JSON.parse(row['metadata']) as unknown }),
  };
}

function channel(row: StoredRow): Record<string, unknown> {
  const conversation = camel(row) as unknown as Conversation;
  const { type, membersKey } = conversation;
  const shown = JSON.parse(JSON.stringify(toWireChannel(conversation, { flavour: 'list', isMember: false }))) as Record<
    string,
    unknown
  >;
  delete shown['is_member'];
  const members = membersKey === null ? {} : { members: membersKey.split(',') };
  return type === 'im'
    ? { ...shown, name: null, is_channel: false, is_im: true, ...members }
    : { ...shown, ...members };
}

/** What a test of the chat product may ask about. */
export function chatEntities(publicUrl: PublicUrl): SandboxEntity[] {
  return [
    {
      name: 'user',
      table: 'users',
      follows: ['updated_at'],
      quiet: ['updated'],
      show: (row) => {
        const user = { ...camel(row), isDeleted: row['deleted_at'] !== null } as unknown as User;
        return toWireUser(user, { publicUrl: publicUrl.base, now: 0, withEmail: true });
      },
    },
    {
      name: 'channel',
      table: 'conversations',
      follows: ['last_ts', 'members_version', 'member_count', 'pin_count', 'updated_at'],
      quiet: ['updated', 'num_members'],
      show: channel,
    },
    {
      name: 'member',
      table: 'members',
      follows: ['closed_at'],
      show: (row, nameOf) => ({ ...place(row['conversation_id'], nameOf), ...person(row['user_id'], nameOf) }),
    },
    {
      name: 'message',
      table: 'messages',
      follows: ['reply_count', 'reply_users', 'reply_users_count', 'latest_reply', 'reactions', 'pinned'],
      quiet: ['reply_count', 'reply_users', 'reply_users_count', 'latest_reply', 'reactions', 'thread_ts'],
      show: message,
    },
    {
      name: 'reaction',
      table: 'reactions',
      follows: ['position'],
      show: (row, nameOf) => ({
        name: row['name'],
        reaction: row['name'],
        ...person(row['user_id'], nameOf),
        ...place(row['conversation_id'], nameOf),
        ts: formatTs(Number(row['ts'])),
      }),
    },
    {
      name: 'pin',
      table: 'pins',
      follows: ['position'],
      show: (row, nameOf) => ({
        ...place(row['conversation_id'], nameOf),
        ...person(row['user_id'], nameOf),
        ts: formatTs(Number(row['ts'])),
        created: seconds(row['created_at']),
      }),
    },
    {
      name: 'bookmark',
      table: 'bookmarks',
      follows: ['updated_at', 'updated_by'],
      quiet: ['date_updated', 'last_updated_by_user_id'],
      show: (row, nameOf) => {
        const { last_updated_by_team_id: _team, ...bookmark } = toWireBookmark(camel(row) as unknown as Bookmark, '');
        return { ...bookmark, ...place(row['conversation_id'], nameOf) };
      },
    },
    {
      name: 'usergroup',
      table: 'usergroups',
      follows: ['updated_at', 'updated_by'],
      quiet: ['date_update', 'updated_by', 'user_count', 'channel_count'],
      show: (row) => toWireUsergroup(camel(row) as unknown as Usergroup, { users: true, counts: true }),
    },
    {
      name: 'app',
      table: 'apps',
      follows: ['token_version', 'signing_secret', 'verification_token'],
      show: (row) => {
        const app = camel(row) as unknown as NewApp;
        return toWireApp(app, String(row['workspace_id'])) as Record<string, unknown>;
      },
    },
    {
      name: 'token',
      table: 'tokens',
      show: (row, nameOf) => ({
        id: String(row['hash']).slice(0, 12),
        type: row['kind'],
        ...ofApp(row['app_id'], nameOf),
        ...person(row['user_id'], nameOf),
        scopes: row['scopes'],
        revoked: row['revoked_at'] !== null,
      }),
    },
    {
      name: 'installation',
      table: 'apps',
      show: (row) =>
        row['installed_at'] === null || row['bot_state'] !== 'live'
          ? null
          : { id: row['id'], product: 'chat', app: row['name'], user: null, scopes: sorted(row['bot_scopes']) },
    },
    {
      // of what people consented to; an app's token of its own maker is no installation
      name: 'installation',
      table: 'tokens',
      isMerged: true,
      show: (row, nameOf) =>
        row['kind'] !== 'user' || row['is_consented'] !== true || row['revoked_at'] !== null
          ? null
          : {
              id: `${String(row['app_id'])} ${String(row['user_id'])}`,
              product: 'chat',
              app: nameOf(row['app_id']) ?? row['app_id'],
              user: nameOf(row['user_id']) ?? row['user_id'],
              scopes: sorted(row['scopes']),
            },
    },
    {
      name: 'subscription',
      table: 'event_targets',
      follows: ['open_until', 'secret'],
      show: (row, nameOf) => (row['app_id'] === null || row['is_socket'] === true ? null : eventTarget(row, nameOf)),
    },
    {
      name: 'webhook',
      table: 'event_targets',
      follows: ['open_until', 'secret'],
      show: (row, nameOf) => (row['app_id'] === null ? { kind: 'outgoing', ...eventTarget(row, nameOf) } : null),
    },
    {
      name: 'webhook',
      table: 'incoming_webhooks',
      show: (row, nameOf) => ({
        kind: 'incoming',
        id: row['id'],
        name: row['name'],
        ...ofApp(row['app_id'], nameOf),
        ...place(row['conversation_id'], nameOf),
        creator: row['creator_id'],
        created: seconds(row['created_at']),
      }),
    },
    {
      name: 'command',
      table: 'slash_commands',
      show: (row, nameOf) => ({
        id: row['id'],
        command: row['command'],
        url: row['url'],
        description: row['description'],
        usage_hint: row['usage_hint'],
        ...ofApp(row['app_id'], nameOf),
        creator: row['creator_id'],
        created: seconds(row['created_at']),
      }),
    },
    {
      name: 'scheduled_message',
      table: 'scheduled_messages',
      show: (row, nameOf) => ({
        id: row['id'],
        ...place(row['conversation_id'], nameOf),
        ...person(row['user_id'], nameOf),
        text: row['text'],
        post_at: row['post_at'],
      }),
    },
    {
      name: 'file',
      table: 'files',
      follows: ['upload_until', 'complete_until', 'upload_hash', 'content_hash', 'public_secret'],
      show: (row, nameOf) =>
        row['state'] !== 'complete'
          ? null
          : {
              id: row['id'],
              name: row['name'],
              title: row['title'],
              size: row['size'],
              ...person(row['user_id'], nameOf),
              created: seconds(row['created_at']),
            },
    },
  ];
}

const eventTarget = (row: StoredRow, nameOf: NameOf): Record<string, unknown> => ({
  id: row['id'],
  url: row['url'],
  events: row['names'],
  verified: row['verified'],
  ...(row['app_id'] !== null && ofApp(row['app_id'], nameOf)),
  ...(row['conversation_id'] !== null && place(row['conversation_id'], nameOf)),
  ...(row['name'] !== null && { name: row['name'] }),
  creator: row['creator_id'],
  created: seconds(row['created_at']),
});
