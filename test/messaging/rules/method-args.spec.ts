import { describe, expect, it } from 'vitest';
import * as chat from '../../../src/messaging/chat/chat.dto.js';
import * as conversations from '../../../src/messaging/conversations/conversations.dto.js';
import * as reactions from '../../../src/messaging/reactions/reactions.dto.js';
import { ArgumentError, parseArgs } from '../../../src/messaging/rpc/args/parse-args.js';
import { encodeCursor } from '../../../src/messaging/rpc/cursor.js';
import * as search from '../../../src/messaging/search/search.dto.js';
import * as users from '../../../src/messaging/users/users.dto.js';

/** The error code that a call is refused with, or 'ok'. */
function codeOf(cls: new () => object, raw: Record<string, unknown>): string {
  try {
    parseArgs(cls, raw);
    return 'ok';
  } catch (error) {
    if (error instanceof ArgumentError) return error.code;
    throw error;
  }
}
const channel = 'C0GENERAL01';
const ts = '1767225600.000100';
const long = 'x'.repeat(12_001);
const badBlocks = [{ type: 'foo' }];

describe('arguments of chat.postMessage', () => {
  const post = (raw: Record<string, unknown>) => parseArgs(chat.ChatPostMessageArgs, { channel, ...raw });
  it.each<[Record<string, unknown>, string]>([
    [{ channel: '', markdown_text: 'a', text: 'b' }, 'invalid_arguments'],
    [{ markdown_text: long, text: 'b', blocks: 5 }, 'markdown_text_conflict'],
    [{ markdown_text: 'a', blocks: [{ type: 'divider' }] }, 'markdown_text_conflict'],
    [{ markdown_text: long, blocks: '{' }, 'msg_too_long'],
    [{ blocks: '{', attachments: 5 }, 'invalid_blocks_format'],
    [{ blocks: {} }, 'invalid_blocks_format'],
    [{ blocks: badBlocks, attachments: 5 }, 'invalid_blocks'],
    [
      { blocks: Array(40).fill({ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2600) } }), attachments: 5 },
      'msg_blocks_too_long',
    ],
    [{ attachments: '[1]', metadata: 5 }, 'invalid_attachments'],
    [{ attachments: Array(101).fill({}), metadata: 5 }, 'too_many_attachments'],
    [{ metadata: {} }, 'invalid_metadata_format'],
    [{ metadata: '{' }, 'invalid_metadata_format'],
    [{}, 'no_text'],
    [{ text: ' \n', blocks: [], attachments: '[]' }, 'no_text'],
    [{ markdown_text: '  ' }, 'no_text'],
    [{ text: 'x', username: 'x'.repeat(81) }, 'invalid_arguments'],
    [{ text: 'x', reply_broadcast: 'maybe' }, 'invalid_arguments'],
    [{ text: ['x'] }, 'invalid_array_arg'],
    [{ text: 'x', parse: {}, link_names: [], as_user: 'x', client_msg_id: 'y', unknown: 1 }, 'ok'],
    [{ text: '', blocks: '[{"type":"divider"}]' }, 'ok'],
    [{ attachments: [{}] }, 'ok'],
    [{ text: '', markdown_text: 'a', blocks: [] }, 'ok'],
  ])('%# %s', (raw, code) => {
    expect(codeOf(chat.ChatPostMessageArgs, { channel, ...raw })).toBe(code);
  });

  it('truncate a long text with a warning', () => {
    expect(post({ text: '😀'.repeat(40_001) })).toMatchObject({ text: '😀'.repeat(40_000), truncated: true });
    expect(post({ text: '😀'.repeat(40_000) })).toMatchObject({ truncated: false });
    expect(post({ text: 5 })).toMatchObject({ text: '5', truncated: false });
  });

  it('store markdown_text as text, and ignore a malformed thread_ts', () => {
    expect(post({ markdown_text: '# a' }).text).toBe('# a');
    expect(post({ text: 'x', thread_ts: 'yesterday' }).thread_ts).toBeUndefined();
    expect(post({ text: 'x', thread_ts: ts }).thread_ts).toBe(1767225600000100);
  });

  it('report why blocks are invalid', () => {
    expect(() => post({ blocks: badBlocks })).toThrow(
      expect.objectContaining({
        extra: { response_metadata: { messages: ['[ERROR] unsupported type: foo [json-pointer:/blocks/0/type]'] } },
      }) as Error,
    );
  });
});

describe('arguments of chat.update and chat.delete', () => {
  const update = (raw: Record<string, unknown>) => codeOf(chat.ChatUpdateArgs, { channel, ts, ...raw });
  it.each<[Record<string, unknown>, string]>([
    [{ ts: null, text: 'x'.repeat(4001) }, 'invalid_arguments'],
    [{ text: 'x'.repeat(4001), markdown_text: 'a' }, 'msg_too_long'],
    [{ markdown_text: 'a', text: 'b', blocks: badBlocks }, 'markdown_text_conflict'],
    [{ blocks: badBlocks, channel: 'x' }, 'invalid_blocks'],
    [{ blocks: 'x' }, 'invalid_blocks_format'],
    [{ metadata: { a: 1 } }, 'invalid_metadata_format'],
    [{}, 'no_text'],
    [{ text: '  ', channel: '#general' }, 'no_text'],
    [{ text: 'x', channel: '#general' }, 'channel_not_found'],
    [{ text: 'x', channel: 'U0ADMINUSER' }, 'channel_not_found'],
    [{ text: ' ', blocks: [] }, 'ok'],
    [{ attachments: '[]' }, 'ok'],
    [{ metadata: '{}' }, 'ok'],
    [{ reply_broadcast: '0' }, 'ok'],
    [{ text: 'x', ts: 'nonsense' }, 'ok'],
  ])('%# %s', (raw, code) => {
    expect(update(raw)).toBe(code);
  });

  it('treat a malformed ts as an unknown one, and {} as no metadata', () => {
    expect(parseArgs(chat.ChatUpdateArgs, { channel, ts: 'x', metadata: {} })).toMatchObject({
      ts: -1,
      metadata: null,
    });
    expect(parseArgs(chat.ChatDeleteArgs, { channel, ts: {} })).toMatchObject({ ts: -1 });
    expect(codeOf(chat.ChatDeleteArgs, { channel })).toBe('invalid_arguments');
  });
});

describe('arguments of the conversations family', () => {
  it.each<[keyof typeof conversations, Record<string, unknown>, string]>([
    ['ConversationsListArgs', { types: 'public_channel, im', limit: '5' }, 'ok'],
    ['ConversationsListArgs', { types: ['mpim'] }, 'ok'],
    ['ConversationsListArgs', { types: 'public', limit: -1 }, 'invalid_types'],
    ['ConversationsListArgs', { limit: -1, cursor: 'x' }, 'invalid_limit'],
    ['ConversationsListArgs', { cursor: encodeCursor('user', 'U0ADMINUSER') }, 'invalid_cursor'],
    ['ConversationsListArgs', { exclude_archived: 'x', types: 'y' }, 'invalid_arguments'],
    ['ConversationsCreateArgs', {}, 'invalid_arguments'],
    ['ConversationsCreateArgs', { name: '' }, 'invalid_name_required'],
    ['ConversationsCreateArgs', { name: 'x'.repeat(81) }, 'invalid_name_maxlength'],
    ['ConversationsCreateArgs', { name: 'A' }, 'invalid_name_specials'],
    ['ConversationsCreateArgs', { name: '--' }, 'invalid_name_punctuation'],
    ['ConversationsCreateArgs', { name: 'here' }, 'invalid_name'],
    ['ConversationsCreateArgs', { name: 'here', is_private: 'x' }, 'invalid_arguments'],
    ['ConversationsCreateArgs', { name: 2026 }, 'ok'],
    ['ConversationsRenameArgs', { name: 'A' }, 'invalid_arguments'],
    ['ConversationsRenameArgs', { name: 'A', channel: 'x' }, 'invalid_name_specials'],
    ['ConversationsInfoArgs', { channel: 'general' }, 'channel_not_found'],
    ['ConversationsHistoryArgs', { latest: 'x' }, 'invalid_arguments'],
    ['ConversationsHistoryArgs', { channel, latest: 'x', oldest: 'x', limit: -1 }, 'invalid_ts_latest'],
    ['ConversationsHistoryArgs', { channel, oldest: 'x', limit: -1 }, 'invalid_ts_oldest'],
    ['ConversationsHistoryArgs', { channel, limit: -1, cursor: '?' }, 'invalid_limit'],
    ['ConversationsHistoryArgs', { channel: 'x', cursor: encodeCursor('reply_ts', 1) }, 'invalid_cursor'],
    ['ConversationsHistoryArgs', { channel, cursor: encodeCursor('next_ts', 1) }, 'ok'],
    ['ConversationsRepliesArgs', { channel, latest: 'x' }, 'invalid_arguments'],
    ['ConversationsRepliesArgs', { channel, ts: 'x' }, 'ok'],
    ['ConversationsMembersArgs', { channel, limit: 1.5 }, 'invalid_limit'],
    ['ConversationsJoinArgs', {}, 'invalid_arguments'],
    ['ConversationsLeaveArgs', { channel: [] }, 'invalid_array_arg'],
    ['ConversationsArchiveArgs', { channel: 5 }, 'channel_not_found'],
    ['ConversationsInviteArgs', { users: 'U1' }, 'invalid_arguments'],
    ['ConversationsInviteArgs', { channel, users: ' , ' }, 'no_user'],
    [
      'ConversationsInviteArgs',
      { channel: 'x', users: Array.from({ length: 101 }, (_, i) => `U${i}`) },
      'too_many_users',
    ],
    ['ConversationsInviteArgs', { channel, users: Array(101).fill('U1').join(',') }, 'ok'],
    ['ConversationsKickArgs', { channel }, 'invalid_arguments'],
    ['ConversationsSetTopicArgs', { channel }, 'invalid_arguments'],
    ['ConversationsSetTopicArgs', { channel, topic: '' }, 'ok'],
    ['ConversationsSetTopicArgs', { channel: 'x', topic: 'é'.repeat(251) }, 'too_long'],
    ['ConversationsSetPurposeArgs', { channel, purpose: '😀'.repeat(250) }, 'ok'],
    ['ConversationsOpenArgs', {}, 'users_list_not_supplied'],
    ['ConversationsOpenArgs', { users: '', channel: '' }, 'users_list_not_supplied'],
    ['ConversationsOpenArgs', { users: 'a,b,c,d,e,f,g,h,i,j' }, 'too_many_users'],
    ['ConversationsOpenArgs', { users: 'a,b,c,d,e,f,g,h,i' }, 'ok'],
    ['ConversationsOpenArgs', { users: 'a,b,c,d,e,f,g,h,i,j', channel: 'D0DIRECT001' }, 'ok'],
    ['ConversationsOpenArgs', { channel: 'nope' }, 'channel_not_found'],
  ])('%s %j: %s', (name, raw, code) => {
    expect(codeOf(conversations[name] as new () => object, raw)).toBe(code);
  });

  it('fill in defaults, decode cursors and keep bounds as sent', () => {
    expect(parseArgs(conversations.ConversationsListArgs, {})).toMatchObject({ types: ['public_channel'], limit: 100 });
    expect(
      parseArgs(conversations.ConversationsHistoryArgs, {
        channel,
        latest: 1767225600,
        cursor: encodeCursor('next_ts', 7),
        limit: 5000,
      }),
    ).toMatchObject({
      latest: 1767225600000000,
      sent_latest: '1767225600',
      sent_oldest: undefined,
      cursor: 7,
      limit: 999,
    });
  });
});

describe('arguments of the reactions family', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ timestamp: ts, name: '!' }, 'no_item_specified'],
    [{ channel, file: 'F1', name: '!' }, 'no_item_specified'],
    [{ channel, timestamp: 'x' }, 'invalid_arguments'],
    [{ channel, timestamp: 'x', name: ':tada:' }, 'invalid_name'],
    [{ channel, timestamp: 'x', name: 'x'.repeat(101) }, 'invalid_name'],
    [{ channel: 'x', timestamp: 'x', name: 'tada' }, 'bad_timestamp'],
    [{ channel: 'x', timestamp: ts, name: 'tada' }, 'channel_not_found'],
    [{ channel, ts, name: 'thumbsup::skin-tone-3' }, 'ok'],
  ])('%j: %s', (raw, code) => {
    expect(codeOf(reactions.ReactionsAddArgs, raw)).toBe(code);
    expect(codeOf(reactions.ReactionsRemoveArgs, raw)).toBe(code);
  });

  it('prefer timestamp to its alias', () => {
    expect(parseArgs(reactions.ReactionsAddArgs, { channel, ts: '1', timestamp: '2', name: 'tada' }).timestamp).toBe(
      2_000_000,
    );
  });
});

describe('arguments of the users family', () => {
  const set = (raw: Record<string, unknown>) => parseArgs(users.UsersProfileSetArgs, raw).changes;
  it.each<[Record<string, unknown>, string]>([
    [{}, 'invalid_profile'],
    [{ profile: 'x' }, 'invalid_profile'],
    [{ profile: [] }, 'invalid_profile'],
    [{ profile: { title: 5 } }, 'invalid_profile'],
    [{ profile: { status_expiration: -1 } }, 'invalid_profile'],
    [{ profile: { status_emoji: 'tada' } }, 'invalid_profile'],
    [{ profile: { fields: [] } }, 'invalid_profile'],
    [{ profile: { fields: { Xf0ABCDEFGH: 'x' } } }, 'invalid_profile'],
    [{ profile: { email: 'none' } }, 'invalid_profile'],
    [{ profile: { email: 'a@b@c' } }, 'invalid_profile'],
    [{ profile: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])) }, 'invalid_profile'],
    [{ name: 'title' }, 'invalid_profile'],
    [{ profile: { display_name: 'x'.repeat(81) } }, 'invalid_arguments'],
    [{ profile: {} }, 'ok'],
    [{ profile: { status_text: 'x'.repeat(101), display_name: '@x' } }, 'ok'],
  ])('of users.profile.set, %j, answer %s', (raw, code) => {
    expect(codeOf(users.UsersProfileSetArgs, raw)).toBe(code);
  });

  it('users.profile.set parses the changes', () => {
    expect(
      set({
        profile: '{"title":"a\\u0000","unknown":{},"phone":null,"status_expiration":"60","__proto__":{"email":"x"}}',
      }),
    ).toEqual({
      title: 'a\uFFFD',
      status_expiration: 60,
    });
    expect(set({ name: 'title', value: '', profile: { phone: '1' } })).toEqual({ title: '' });
    expect(set({ name: 'nonsense', value: 'x' })).toEqual({});
    expect({ ...set({ profile: { fields: { Xf0ABCDEFGH: { value: 'a' }, other: { value: 'b' } } } }).fields }).toEqual({
      Xf0ABCDEFGH: { value: 'a', alt: '' },
    });
  });

  it.each<[keyof typeof users, Record<string, unknown>, string]>([
    ['UsersListArgs', { limit: '-1', cursor: 'x' }, 'invalid_limit'],
    ['UsersListArgs', { cursor: 'x' }, 'invalid_cursor'],
    ['UsersInfoArgs', {}, 'invalid_arguments'],
    ['UsersProfileGetArgs', {}, 'ok'],
    ['UsersSetPresenceArgs', {}, 'invalid_arguments'],
    ['UsersSetPresenceArgs', { presence: 'active' }, 'invalid_presence'],
    ['UsersSetPresenceArgs', { presence: 'away' }, 'ok'],
  ])('%s %j: %s', (name, raw, code) => {
    expect(codeOf(users[name] as new () => object, raw)).toBe(code);
  });

  it('users.list treats limit 0 as no limit', () => {
    expect(parseArgs(users.UsersListArgs, { limit: 0 }).limit).toBe(0);
    expect(parseArgs(users.UsersListArgs, { limit: 2000 }).limit).toBe(1000);
  });
});

describe('arguments of search.messages', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ sort: 'x' }, 'no_query'],
    [{ query: ' '.repeat(501) }, 'no_query'],
    [{ query: '""', count: -1 }, 'no_query'],
    [{ query: 'x'.repeat(501) }, 'invalid_arguments'],
    [{ query: 'x', sort: 'newest' }, 'invalid_arguments'],
    [{ query: 'x', sort_dir: 'up' }, 'invalid_arguments'],
    [{ query: 'x', count: -1 }, 'invalid_arguments'],
    [{ query: 'x', page: 0, cursor: 'x' }, 'invalid_arguments'],
    [{ query: 'x', cursor: 'x' }, 'invalid_cursor'],
    [{ query: ['x'] }, 'invalid_array_arg'],
    [{ query: 'x', cursor: '*' }, 'ok'],
  ])('%j: %s', (raw, code) => {
    expect(codeOf(search.SearchMessagesArgs, raw)).toBe(code);
  });

  it('clamp count and page, and decode cursors', () => {
    expect(parseArgs(search.SearchMessagesArgs, { query: 'x', count: 1000, page: '1000', cursor: '*' })).toMatchObject({
      count: 100,
      page: 100,
      cursor: 1,
      sort: 'score',
      sort_dir: 'desc',
    });
    expect(
      parseArgs(search.SearchMessagesArgs, { query: 'x', count: 0, cursor: encodeCursor('page', 3) }),
    ).toMatchObject({ count: 20, cursor: 3 });
  });
});
