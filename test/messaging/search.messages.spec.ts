import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import {
  findCandidates,
  SEARCH_LIMITS,
  type Criteria,
  type SearchLimits,
} from '../../src/messaging/search/candidates.js';
import { WaitingTexts } from '../../src/messaging/search/waiting-texts.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

describe('search.messages', () => {
  const app = useApp();

  const search = (client: ChatClient, query: string, args: object = {}) =>
    client.call('search.messages', { query, ...args });
  const texts = async (client: ChatClient, query: string, args: object = {}): Promise<string[]> => {
    const { ok, messages } = await search(client, query, { count: 100, ...args });
    expect(ok).toBe(true);
    expect(messages.total).toBe(messages.matches.length);
    return (messages.matches as { text: string }[]).map(({ text }) => text);
  };
  const day = (date: string): void => app.clock.advance(Date.parse(`${date}T12:00:00Z`) - app.clock.nowMs());

  /** Messages by SQL: far more than the methods could post. `text` is SQL over `g`, the number of the message. */
  async function seed(ws: WorkspaceBuilder, channel: { id: string }, count: number, text: string, author?: string) {
    await app.nest.get(Db).readText(
      `WITH rows AS (
         SELECT 1600000000000000 + g AS ts, ${text} AS text FROM generate_series(1, $1::int) g),
       stored AS (
         INSERT INTO messages (conversation_id, ts, user_id, text, wire)
         SELECT $2, ts, $3, text, '{"type":"message","user":"' || $3 || '","text":' || to_json(text) || ',"team":"' || $4 || '"}' FROM rows)
       INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
       SELECT $2, ts, $4, $3, lower(text) FROM rows`,
      [count, channel.id, author ?? ws.admin.id, ws.id],
    );
  }

  it('answers the match in full', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    const message = await ws.message({ channel: ws.general, user: ws.admin, text: 'Deploy done' });
    await ws.message({ channel: ws.random, user: ws.admin, text: 'deploy elsewhere' });

    expect(await search(client, 'deploy in:#general')).toEqual({
      ok: true,
      query: 'deploy in:#general',
      messages: {
        total: 1,
        pagination: { total_count: 1, page: 1, per_page: 20, page_count: 1, first: 1, last: 1 },
        paging: { count: 20, total: 1, page: 1, pages: 1 },
        matches: [
          {
            iid: `${ws.general.id}.${message.ts.replace('.', '')}`,
            team: ws.id,
            score: 1,
            channel: {
              id: ws.general.id,
              is_channel: true,
              is_group: false,
              is_im: false,
              is_mpim: false,
              is_shared: false,
              is_org_shared: false,
              is_ext_shared: false,
              is_private: false,
              name: 'general',
              pending_shared: [],
              is_pending_ext_shared: false,
            },
            type: 'message',
            user: ws.admin.id,
            username: 'admin',
            ts: message.ts,
            text: 'Deploy done',
            permalink: `${app.baseUrl}/archives/${ws.general.id}/p${message.ts.replace('.', '')}`,
            no_reactions: true,
          },
        ],
      },
    });
  });

  it('answers an empty page when nothing matches, also through the official client', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    const nothing = {
      total: 0,
      pagination: { total_count: 0, page: 1, per_page: 20, page_count: 0, first: 0, last: 0 },
      paging: { count: 20, total: 0, page: 1, pages: 0 },
      matches: [],
    };
    expect((await client.webClient().search.messages({ query: 'nowhere' })).messages).toEqual(nothing);
    for (const query of [
      'in:#nowhere',
      'in:C0000000000',
      'from:nobody',
      'from:U0000000000',
      'in:@admin',
      'before:soon',
    ])
      expect((await search(client, query)).messages).toEqual(nothing);
  });

  it('finds terms as substrings, whatever their case, all of them, and none of the negated', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    for (const text of ['Redeployed the ÉCOLE', 'deploy the school', 'a straße'])
      await ws.message({ channel: ws.general, user: ws.admin, text });
    expect(await texts(client, 'DEPLOY')).toEqual(['deploy the school', 'Redeployed the ÉCOLE']);
    expect(await texts(client, 'deploy éCoLe')).toEqual(['Redeployed the ÉCOLE']);
    expect(await texts(client, 'deploy -École')).toEqual(['deploy the school']);
    expect(await texts(client, '"the sch"')).toEqual(['deploy the school']);
    expect(await texts(client, '-"the sch" deploy*')).toEqual(['Redeployed the ÉCOLE']);
    expect(await texts(client, 'STRAßE')).toEqual(['a straße']);
    expect(await texts(client, '-deploy')).toEqual(['a straße']);
    expect(await texts(client, 'the')).toHaveLength(2);
    expect(await texts(client, 'e')).toHaveLength(3);
  });

  it('takes every character of a term as it is', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    const all = [
      '100% sure',
      '1000 sure',
      'snake_case',
      'snakeXcase',
      'C:\\temp\\new',
      "it's",
      'ship 🚀 it',
      '東京タワー',
      '京都',
      '(a|b)[c]{2}.*+?^$',
      "x'); DROP TABLE messages; --",
      '$1 and :name and ?',
    ];
    for (const text of all) await ws.message({ channel: ws.general, user: ws.admin, text });
    const expected: [string, string[]][] = [
      ['100%', ['100% sure']],
      ['0%', ['100% sure']],
      ['%', ['100% sure']],
      ['e_c', ['snake_case']],
      ['_', ['snake_case']],
      ['\\', ['C:\\temp\\new']],
      ['temp\\new', ['C:\\temp\\new']],
      ["'s", ["it's"]],
      ['🚀', ['ship 🚀 it']],
      ['東京', ['東京タワー']],
      ['京', ['京都', '東京タワー']],
      ['タワー', ['東京タワー']],
      ['(a|b)', ['(a|b)[c]{2}.*+?^$']],
      ['.*+?^$', ['(a|b)[c]{2}.*+?^$']],
      ['"x\'); DROP TABLE messages; --"', ["x'); DROP TABLE messages; --"]],
      ["'; DELETE FROM messages; --", []],
      ["in:#general' in:x'", []],
      ["from:a'b", []],
      ["has::x'y:", []],
      ['$1', ['$1 and :name and ?']],
      ['?', ['$1 and :name and ?', '(a|b)[c]{2}.*+?^$']],
    ];
    for (const [query, found] of expected) expect(await texts(client, query), query).toEqual(found);
    expect(await texts(client, 'in:general')).toHaveLength(all.length);
  });

  it('in: takes channels by name, id and mention, and direct messages by their user', async () => {
    const ws = await app.workspace();
    const me = await ws.userClient();
    const ann = await ws.user();
    const general = await ws.message({ channel: ws.general, user: ws.admin, text: 'x general' });
    const random = await ws.message({ channel: ws.random, user: ws.admin, text: 'x random' });
    const { channel: im } = await me.call('conversations.open', { users: ann.id });
    const { channel: self } = await me.call('conversations.open', { users: me.userId });
    await me.call('chat.postMessage', { channel: im.id, text: 'x im' });
    await me.call('chat.postMessage', { channel: self.id, text: 'x self' });

    for (const place of ['#general', 'general', general.channel, `<#${general.channel}|general>`])
      expect(await texts(me, `x in:${place}`), place).toEqual(['x general']);
    for (const place of [`@${ann.name}`, ann.id, im.id, `<@${ann.id}>`])
      expect(await texts(me, `in:${place}`), place).toEqual(['x im']);
    expect(await texts(me, `in:${me.userId}`)).toEqual(['x self']);
    expect(await texts(me, 'x in:general in:random in:nowhere')).toEqual(['x random', 'x general']);
    expect(await texts(me, `x -in:general -in:@${ann.name} -in:nowhere`)).toEqual(['x self', 'x random']);
    expect(await texts(me, 'x in:general -in:general')).toEqual([]);

    const { messages } = await search(me, 'x');
    expect(messages.matches.map(({ channel }: { channel: object }) => channel)).toEqual([
      expect.objectContaining({ id: self.id, is_im: true, is_channel: false, is_private: true, name: me.userId }),
      expect.objectContaining({ id: im.id, is_im: true, is_channel: false, is_private: true, name: ann.id }),
      expect.objectContaining({ id: random.channel, is_channel: true, is_private: false, name: 'random' }),
      expect.objectContaining({ id: general.channel, is_channel: true, name: 'general' }),
    ]);
  });

  it('from: takes names, ids, mentions and me; a bot by its name', async () => {
    const ws = await app.workspace();
    const [me, ann] = [await ws.userClient(), await ws.user()];
    const bot = await ws.bot({ name: 'deploy-bot' });
    await ws.join(ws.general, me, bot);
    await ws.message({ channel: ws.general, user: ann, text: 'by ann' });
    await me.call('chat.postMessage', { channel: ws.general.id, text: 'by me' });
    await bot.call('chat.postMessage', { channel: ws.general.id, text: 'by bot' });
    await bot.call('chat.postMessage', { channel: ws.general.id, text: 'by custom', username: 'Custom' });
    const botName = (await bot.call('auth.test')).user as string;

    for (const who of [`@${ann.name}`, ann.name, ann.name.toUpperCase(), ann.id, `<@${ann.id}>`, `<@${ann.id}|ann>`])
      expect(await texts(me, `from:${who}`), who).toEqual(['by ann']);
    expect(await texts(me, 'from:me')).toEqual(['by me']);
    expect(await texts(bot, 'from:me')).toEqual(['by custom', 'by bot']);
    expect(await texts(me, `from:${botName}`)).toEqual(['by custom', 'by bot']);
    expect(await texts(me, `from:${bot.userId} custom`)).toEqual(['by custom']);
    expect(await texts(me, `from:me from:${ann.name} from:nobody`)).toEqual(['by me', 'by ann']);
    expect(await texts(me, `by -from:me -from:@${botName} -from:nobody`)).toEqual(['by ann']);

    const { messages } = await search(me, `from:${botName}`);
    expect(messages.matches).toEqual([
      expect.objectContaining({ username: 'Custom', bot_id: bot.botId, is_bot: true }),
      expect.objectContaining({ username: botName, user: bot.userId, bot_id: bot.botId, is_bot: true }),
    ]);
    expect(messages.matches[0]).not.toHaveProperty('user');
  });

  it('before:, after:, on: and during: cut at days in UTC', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    for (const date of ['2031-01-31', '2031-02-01', '2031-02-02', '2031-03-05']) {
      day(date);
      await ws.message({ channel: ws.general, user: ws.admin, text: date });
    }
    const [jan31, feb1, feb2, mar5] = ['2031-01-31', '2031-02-01', '2031-02-02', '2031-03-05'];
    const expected: [string, (string | undefined)[]][] = [
      ['before:2031-02-01', [jan31]],
      ['after:2031-02-01', [mar5, feb2]],
      ['on:2031-02-01', [feb1]],
      ['-on:2031-02-01', [mar5, feb2, jan31]],
      ['during:2031-02', [feb2, feb1]],
      ['during:february', [feb2, feb1]],
      ['during:2031 -during:feb', [mar5, jan31]],
      ['after:2031-01-31 before:2031-02-02', [feb1]],
      ['-before:2031-02-02', [mar5, feb2]],
      ['-after:2031-02-01', [feb1, jan31]],
      ['on:today', [mar5]],
      ['on:yesterday', []],
      ['during:2030', []],
      ['during:nonsense', []],
    ];
    for (const [query, found] of expected) expect(await texts(client, query), query).toEqual(found);
  });

  it('has: knows links and reactions, is:thread parents and replies', async () => {
    const ws = await app.workspace();
    const me = await ws.userClient();
    await ws.join(ws.general, me);
    const link = await ws.message({ channel: ws.general, user: ws.admin, text: 'see HTTPS://example.com' });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'http is a protocol' });
    const parent = await ws.message({ channel: ws.general, user: ws.admin, text: 'parent' });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'reply', threadTs: parent.ts });
    await me.call('reactions.add', { ...link.ref, name: 'tada' });
    await me.call('reactions.add', { ...parent.ref, name: 'tada' });
    await me.call('reactions.add', { ...parent.ref, name: 'eyes' });

    const expected: [string, string[]][] = [
      ['has:link', ['see HTTPS://example.com']],
      ['-has:link', ['reply', 'parent', 'http is a protocol']],
      ['has:reaction', ['parent', 'see HTTPS://example.com']],
      ['-has:reaction', ['reply', 'http is a protocol']],
      ['has::tada:', ['parent', 'see HTTPS://example.com']],
      ['has::tada: -has::eyes:', ['see HTTPS://example.com']],
      ['has::tada: has::eyes:', ['parent']],
      ['has::rocket:', []],
      ['has:link -has:link', []],
      ['is:thread', ['reply', 'parent']],
      ['-is:thread', ['http is a protocol', 'see HTTPS://example.com']],
      ['is:thread -has:reaction', ['reply']],
      ['is:thread -is:thread', []],
      ['http -has:link', ['http is a protocol']],
    ];
    for (const [query, found] of expected) expect(await texts(me, query), query).toEqual(found);

    const { messages } = await search(me, 'is:thread');
    const [reply, found] = messages.matches;
    expect(found).not.toHaveProperty('no_reactions');
    expect(found.permalink).toMatch(/\/p\d{16}$/);
    expect(reply.no_reactions).toBe(true);
    expect(reply.permalink).toBe(
      `${app.baseUrl}/archives/${ws.general.id}/p${reply.ts.replace('.', '')}?thread_ts=${parent.ts}&cid=${ws.general.id}`,
    );

    await me.call('reactions.remove', { ...parent.ref, name: 'tada' });
    await me.call('reactions.remove', { ...link.ref, name: 'tada' });
    expect(await texts(me, 'has::tada:')).toEqual([]);
    expect(await texts(me, 'has:reaction')).toEqual(['parent']);
  });

  it('modifiers and terms hold together', async () => {
    const ws = await app.workspace();
    const me = await ws.userClient();
    await ws.join(ws.general, me);
    await ws.join(ws.random, me);
    const wanted = await me.call('chat.postMessage', { channel: ws.general.id, text: 'release http://a.example now' });
    await me.call('chat.postMessage', { channel: ws.random.id, text: 'release http://a.example now' });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'release http://a.example now' });
    await me.call('chat.postMessage', { channel: ws.general.id, text: 'release now' });
    await me.call('reactions.add', { channel: ws.general.id, timestamp: wanted.ts, name: '+1' });
    const { messages } = await search(
      me,
      'release in:#general from:me has:link has::+1: on:today -is:thread -draft "now"',
    );
    expect(messages.total).toBe(1);
    expect(messages.matches[0].ts).toBe(wanted.ts);
  });

  it('searches what the caller may see: public channels, and private ones of its own', async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const [me, stranger] = [await ws.userClient(), await ws.userClient()];
    const open = await ws.channel({ members: [stranger] });
    const secret = await ws.channel({ isPrivate: true, members: [stranger] });
    const shared = await ws.channel({ isPrivate: true, members: [stranger, me] });
    const { channel: im } = await stranger.call('conversations.open', { users: ws.admin.id });
    const { channel: mpim } = await stranger.call('conversations.open', { users: `${ws.admin.id},${me.userId}` });
    const places = { open: open.id, secret: secret.id, shared: shared.id, im: im.id, mpim: mpim.id };
    for (const [name, channel] of Object.entries(places))
      await stranger.call('chat.postMessage', { channel, text: `needle ${name}` });
    await other.message({ channel: other.general, user: other.admin, text: 'needle elsewhere' });

    expect(await texts(me, 'needle')).toEqual(['needle mpim', 'needle shared', 'needle open']);
    expect(await texts(await ws.adminClient(), 'needle')).toEqual(['needle mpim', 'needle im', 'needle open']);
    expect(await texts(me, `needle in:${secret.id}`)).toEqual([]);
    expect(await texts(me, `needle in:#${secret.name}`)).toEqual([]);
    expect(await texts(me, `needle in:${im.id}`)).toEqual([]);
    expect(await texts(me, `needle in:${other.general.id}`)).toEqual([]);
    expect(await texts(me, `from:${other.admin.id}`)).toEqual([]);

    const { messages } = await search(me, 'needle -open');
    expect(messages.matches.map(({ channel }: { channel: object }) => channel)).toEqual([
      expect.objectContaining({ id: mpim.id, is_mpim: true, is_group: true, is_channel: false, is_private: true }),
      expect.objectContaining({ id: shared.id, is_channel: true, is_group: false, is_private: true }),
    ]);
    await stranger.call('conversations.archive', { channel: open.id });
    expect(await texts(me, 'needle open')).toEqual(['needle open']);
    await stranger.call('conversations.kick', { channel: shared.id, user: me.userId });
    expect(await texts(me, 'needle shared')).toEqual([]);
  });

  it('finds a change with the next call, and neither system messages nor tombstones', async () => {
    const ws = await app.workspace();
    const me = await ws.userClient();
    await me.call('conversations.join', { channel: ws.random.id });
    await me.call('conversations.setTopic', { channel: ws.random.id, topic: 'joined topic' });
    const { ts } = await me.call('chat.postMessage', { channel: ws.random.id, text: 'first text' });
    await me.call('chat.update', { channel: ws.random.id, ts, text: 'second text' });
    expect(await texts(me, 'first')).toEqual([]);
    expect(await texts(me, 'second')).toEqual(['second text']);
    expect(await texts(me, 'topic')).toEqual([]);
    expect(await texts(me, 'from:me')).toEqual(['second text']);

    const reply = await me.call('chat.postMessage', {
      channel: ws.random.id,
      text: 'a reply',
      thread_ts: ts,
      reply_broadcast: true,
    });
    expect(await texts(me, 'is:thread')).toEqual(['a reply', 'second text']);
    await me.call('reactions.add', { channel: ws.random.id, timestamp: ts, name: 'eyes' });
    await me.call('chat.delete', { channel: ws.random.id, ts });
    expect(await texts(me, 'deleted')).toEqual([]);
    expect(await texts(me, 'second')).toEqual([]);
    expect(await texts(me, 'has:reaction')).toEqual([]);
    expect(await texts(me, 'is:thread')).toEqual(['a reply']);
    await me.call('chat.delete', { channel: ws.random.id, ts: reply.ts });
    expect(await texts(me, 'reply')).toEqual([]);

    const parent = await me.call('chat.postMessage', { channel: ws.random.id, text: 'parent again' });
    const only = await me.call('chat.postMessage', { channel: ws.random.id, text: 'only', thread_ts: parent.ts });
    await me.call('chat.delete', { channel: ws.random.id, ts: only.ts });
    expect(await texts(me, 'is:thread')).toEqual([]);
    const [left] = await app.nest.get(Db).readText(
      `SELECT (SELECT count(*) FROM message_search WHERE workspace_id = $1) AS messages,
                (SELECT count(*) FROM message_facets WHERE workspace_id = $1) AS facets`,
      [ws.id],
    );
    expect(left).toEqual({ messages: 1, facets: 0 });
  });

  it('sorts by score or time, either way, newest first among equals', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    for (const text of ['a Go go', 'b go', 'c go go GO', 'd go']) {
      await ws.message({ channel: ws.general, user: ws.admin, text });
    }
    const order = async (args: object) => (await texts(client, 'go', args)).map((text) => text[0]).join('');
    expect(await order({})).toBe('cadb');
    expect(await order({ sort_dir: 'asc' })).toBe('dbac');
    expect(await order({ sort: 'timestamp' })).toBe('dcba');
    expect(await order({ sort: 'timestamp', sort_dir: 'asc' })).toBe('abcd');
    const { messages } = await search(client, 'go');
    expect(messages.matches.map(({ score }: { score: number }) => score)).toEqual([3, 2, 1, 1]);
    const two = await search(client, 'go "c go"');
    expect(two.messages.matches).toEqual([expect.objectContaining({ score: 4 })]);
  });

  it('marks what matched when asked to', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    await ws.message({ channel: ws.general, user: ws.admin, text: 'Deploy, redeploy the École' });
    expect(await texts(client, 'deploy école in:general', { highlight: true })).toEqual([
      '\uE000Deploy\uE001, re\uE000deploy\uE001 the \uE000École\uE001',
    ]);
    expect(await texts(client, 'in:general', { highlight: true })).toEqual(['Deploy, redeploy the École']);
  });

  it('pages by number and by cursor', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    await seed(ws, ws.general, 5, `'page ' || g`);
    const page = async (args: object) => {
      const { messages, response_metadata } = await search(client, 'page', { count: 2, ...args });
      const found = (messages.matches as { text: string }[]).map(({ text }) => text.slice(5)).join('');
      return [found, messages.pagination, messages.paging, response_metadata?.next_cursor] as const;
    };
    expect(await page({})).toEqual([
      '54',
      { total_count: 5, page: 1, per_page: 2, page_count: 3, first: 1, last: 2 },
      { count: 2, total: 5, page: 1, pages: 3 },
      undefined,
    ]);
    expect((await page({ page: 2 }))[0]).toBe('32');
    expect(await page({ page: 3 })).toEqual([
      '1',
      { total_count: 5, page: 3, per_page: 2, page_count: 3, first: 5, last: 5 },
      { count: 2, total: 5, page: 3, pages: 3 },
      undefined,
    ]);
    expect((await page({ page: 4 })).slice(0, 2)).toEqual([
      '',
      { total_count: 5, page: 4, per_page: 2, page_count: 3, first: 0, last: 0 },
    ]);

    const first = await page({ cursor: '*' });
    const second = await page({ cursor: first[3] });
    const third = await page({ cursor: second[3] });
    expect([first[0], second[0], third[0]]).toEqual(['54', '32', '1']);
    expect(Buffer.from(first[3] as string, 'base64').toString()).toBe('page:2');
    expect(third[3]).toBe('');
    const far = Buffer.from(`page:${Number.MAX_SAFE_INTEGER}`).toString('base64');
    expect((await page({ cursor: far }))[0]).toBe('');
    // an empty cursor is none
    expect((await page({ cursor: '' }))[3]).toBeUndefined();
    // clamped
    expect((await page({ count: 1000, page: 1000 }))[2]).toEqual({ count: 100, total: 5, page: 100, pages: 1 });
  });

  it.each([
    [{}, 'no_query'],
    [{ query: '  ' }, 'no_query'],
    [{ query: '""' }, 'no_query'],
    [{ query: '-' }, 'no_query'],
    [{ query: 'x'.repeat(501) }, 'invalid_arguments'],
    [{ query: 'x', sort: 'newest' }, 'invalid_arguments'],
    [{ query: 'x', sort_dir: 'up' }, 'invalid_arguments'],
    [{ query: 'x', count: -1 }, 'invalid_arguments'],
    [{ query: 'x', count: 'many' }, 'invalid_arguments'],
    [{ query: 'x', page: 0 }, 'invalid_arguments'],
    [{ query: 'x', page: -1 }, 'invalid_arguments'],
    [{ query: 'x', cursor: 'nonsense' }, 'invalid_cursor'],
    [{ query: 'x', cursor: Buffer.from('page:0').toString('base64') }, 'invalid_cursor'],
    [{ query: 'x', cursor: Buffer.from('next_ts:5').toString('base64') }, 'invalid_cursor'],
    [{ query: '-', sort: 'newest', cursor: 'x' }, 'no_query'],
    [{ query: 'x', sort: 'newest', cursor: 'x' }, 'invalid_arguments'],
  ])('answers %j with %s', async (args, error) => {
    const client = await (await app.workspace()).bot();
    expect(await client.call('search.messages', args)).toMatchObject({ ok: false, error });
  });

  it('answers missing_scope to a token without search:read', async () => {
    const bot = await (await app.workspace()).bot({ scopes: ['channels:read'] });
    const { status, body } = await bot.wire('search.messages', { query: 'x' });
    expect([status, body]).toEqual([
      403,
      { ok: false, error: 'missing_scope', needed: 'search:read', provided: 'channels:read' },
    ]);
  });

  it('takes the longest query there may be, and twenty terms and modifiers', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    const letters = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i)).join(' ');
    for (const query of ['x'.repeat(500), letters(20), `${letters(19)} -from:me`, '🚀'.repeat(500)])
      expect((await search(client, query)).ok).toBe(true);
    for (const query of [letters(21), `${letters(20)} in:#general`])
      expect(await search(client, query)).toMatchObject({ ok: false, error: 'invalid_arguments' });
  });

  it('counts the newest 10,000 matches only', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    // the oldest message is the best match, and no candidate
    await seed(
      ws,
      ws.general,
      10_500,
      `CASE g WHEN 1 THEN 'word word word' WHEN 400 THEN 'rare word' WHEN 600 THEN 'word word' ELSE 'word ' || g END`,
    );

    const all = await search(client, 'word', { count: 100, page: 100 });
    expect(all.messages.total).toBe(10_000);
    expect(all.messages.paging).toEqual({ count: 100, total: 10_000, page: 100, pages: 100 });
    expect(all.messages.matches).toHaveLength(100);
    expect(all.messages.matches.at(-1).text).toBe('word 501');
    const best = await search(client, 'word');
    expect(best.messages.matches[0]).toMatchObject({ text: 'word word', score: 2 });
    // what satisfies the query counts, not what is newest
    expect(await texts(client, 'rare')).toEqual(['rare word']);
    expect((await search(client, 'in:general')).messages.total).toBe(10_000);
    expect((await search(client, 'from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo in:general from:admin')).messages.total).toBe(10_000);
    expect((await search(client, 'wo -rd')).messages.total).toBe(0);
  });

  describe('over more messages than it looks at', () => {
    const small: SearchLimits = { ...SEARCH_LIMITS, candidates: 20, probeRows: 10, walkRows: 200, indexRows: 30 };
    const newest = { sort: 'timestamp', direction: 'desc', offset: 0, count: 100 } as const;

    async function many(text: string) {
      const ws = await app.workspace();
      await seed(ws, ws.general, 1000, text);
      const everything: Criteria = {
        workspaceId: ws.id,
        userId: ws.admin.id,
        conversations: null,
        notConversations: [],
        notAuthors: [],
        terms: [],
        notTerms: [],
        facets: [],
        notFacets: [],
        notTimes: [],
      };
      const find = async (criteria: Partial<Criteria>) => {
        const { total, hits } = await findCandidates(app.nest.get(Db), { ...everything, ...criteria }, newest, small);
        expect(hits).toHaveLength(total);
        return hits.map(({ ts }) => ts - 1_600_000_000_000_000);
      };
      return Object.assign(find, { workspaceId: ws.id });
    }
    const countdown = (from: number, count: number, step = 1) =>
      Array.from({ length: count }, (_, i) => from - i * step);

    it('finds frequent terms, rare ones, and those that were frequent once', async () => {
      const find = await many(`concat_ws(' ', 'all', CASE WHEN g % 7 = 0 THEN 'often' END,
        CASE WHEN g IN (3, 500) THEN 'seldom' END, CASE WHEN g <= 300 THEN 'once' END, CASE WHEN g <= 25 THEN 'early' END,
        CASE WHEN g > 990 OR g < 5 THEN 'lately' END, CASE WHEN g = 2 THEN 'https://a.example' END)`);
      expect(await find({ terms: ['all'] })).toEqual(countdown(1000, 20));
      expect(await find({ terms: ['often'] })).toEqual(countdown(994, 20, 7));
      expect(await find({ terms: ['seldom'] })).toEqual([500, 3]);
      expect(await find({ terms: ['once'] })).toEqual(countdown(300, 20));
      expect(await find({ terms: ['early'] })).toEqual(countdown(25, 20));
      expect(await find({ terms: ['lately'] })).toEqual([...countdown(1000, 10), 4, 3, 2, 1]);
      expect(await find({ terms: ['never'] })).toEqual([]);
      expect(await find({ link: true })).toEqual([2]);
      expect(await find({ terms: ['all'], notTerms: ['often'], to: 1_600_000_000_000_010 })).toEqual([
        9, 8, 6, 5, 4, 3, 2, 1,
      ]);
    });

    it('finds texts that wait for the text index, and finds them again when they are in it', async () => {
      const find = await many(
        `concat_ws(' ', 'all', CASE WHEN g IN (3, 500) THEN 'seldom' END, CASE WHEN g <= 25 THEN 'early' END)`,
      );
      const { dataSource } = app.store;
      const waiting = `waiting IS NOT NULL AND workspace_id = $1`;
      await dataSource.query(`UPDATE message_search SET waiting = folded, folded = '' WHERE workspace_id = $1`, [
        find.workspaceId,
      ]);
      const count = async (): Promise<number> =>
        (
          await dataSource.query(`SELECT count(*)::int AS n FROM message_search WHERE ${waiting}`, [find.workspaceId])
        )[0].n;
      expect(await count()).toBe(1000);
      for (const left of [1000, 0]) {
        expect(await count()).toBe(left);
        expect(await find({ terms: ['all'] })).toEqual(countdown(1000, 20));
        expect(await find({ terms: ['seldom'] })).toEqual([500, 3]);
        expect(await find({ terms: ['early'] })).toEqual(countdown(25, 20));
        expect(await find({ terms: ['never'] })).toEqual([]);
        await app.nest.get(WaitingTexts, { strict: false }).index();
      }
    });

    it('looks for what the text index does not know among the newest of the shortest list', async () => {
      const find = await many(`CASE g WHEN 900 THEN 'qz new' WHEN 700 THEN 'qz old' ELSE 'all' END`);
      expect(await find({ terms: ['qz'] })).toEqual([900]);
      // a term that the index knows, or a shorter list, finds the older one too
      expect(await find({ terms: ['qz', 'old'] })).toEqual([700]);
      expect(await find({ terms: ['qz'], to: 1_600_000_000_000_000 + 800 })).toEqual([700]);
    });
  });
});
