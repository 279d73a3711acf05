import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

describe('modifiers of search.messages', () => {
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

  it('in: accepts channels by name, id and mention, and direct messages by their user', async () => {
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

  it('from: accepts names, ids, mentions and me, and a bot by its name', async () => {
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

  it('before:, after:, on: and during: select whole days in UTC', async () => {
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

  it('has: finds links and reactions, is:thread finds parents and replies', async () => {
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

  it('combines modifiers and terms', async () => {
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
});
