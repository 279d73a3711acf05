import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

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

  it('finds all terms as substrings, whatever their case, and excludes negated ones', async () => {
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

  it('takes every character of a term literally', async () => {
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

  it("searches what the caller may see: public channels and the caller's private ones", async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const [me, outsider] = [await ws.userClient(), await ws.userClient()];
    const open = await ws.channel({ members: [outsider] });
    const secret = await ws.channel({ isPrivate: true, members: [outsider] });
    const shared = await ws.channel({ isPrivate: true, members: [outsider, me] });
    const { channel: im } = await outsider.call('conversations.open', { users: ws.admin.id });
    const { channel: mpim } = await outsider.call('conversations.open', { users: `${ws.admin.id},${me.userId}` });
    const places = { open: open.id, secret: secret.id, shared: shared.id, im: im.id, mpim: mpim.id };
    for (const [name, channel] of Object.entries(places))
      await outsider.call('chat.postMessage', { channel, text: `needle ${name}` });
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
    await outsider.call('conversations.archive', { channel: open.id });
    expect(await texts(me, 'needle open')).toEqual(['needle open']);
    await outsider.call('conversations.kick', { channel: shared.id, user: me.userId });
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

  it('sorts by score or time, in either direction, newest first among equals', async () => {
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

  it('highlights matches on request', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    await ws.message({ channel: ws.general, user: ws.admin, text: 'Deploy, redeploy the École' });
    expect(await texts(client, 'deploy école in:general', { highlight: true })).toEqual([
      '\uE000Deploy\uE001, re\uE000deploy\uE001 the \uE000École\uE001',
    ]);
    expect(await texts(client, 'in:general', { highlight: true })).toEqual(['Deploy, redeploy the École']);
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

  it('accepts a query of the maximum length, and twenty terms and modifiers', async () => {
    const ws = await app.workspace();
    const client = await ws.adminClient();
    const letters = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i)).join(' ');
    for (const query of ['x'.repeat(500), letters(20), `${letters(19)} -from:me`, '🚀'.repeat(500)])
      expect((await search(client, query)).ok).toBe(true);
    for (const query of [letters(21), `${letters(20)} in:#general`])
      expect(await search(client, query)).toMatchObject({ ok: false, error: 'invalid_arguments' });
  });
});
