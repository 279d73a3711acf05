import { describe, expect, it } from 'vitest';
import { linkText } from '../../src/messaging/wire/link-text.js';
import { toMrkdwn } from '../../src/messaging/wire/markdown.js';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';

describe('the text of a message as it is stored', () => {
  const app = useApp();

  it.each([
    ['see https://a.example/b?c=d.', 'see <https://a.example/b?c=d>.'],
    ['(http://a.example/x)', '(<http://a.example/x>)'],
    ['"http://a.example!!"', '"<http://a.example>!!"'],
    ['<http://a.example|A> and `http://b.example`', '<http://a.example|A> and `http://b.example`'],
    ['```\nhttp://a.example\n```', '```\nhttp://a.example\n```'],
    ['write to a.b@c.example, now', 'write to <mailto:a.b@c.example|a.b@c.example>, now'],
    ['http:// nothing @ all', 'http:// nothing @ all'],
  ])('links %j', (sent, stored) => {
    expect(linkText(sent)).toBe(stored);
  });

  it('is linked in linear time, whatever is sent', () => {
    const started = performance.now();
    for (const text of [
      'a'.repeat(40_000) + '@',
      'a@'.repeat(20_000),
      'http://'.repeat(5_000),
      '`'.repeat(40_000),
      '<'.repeat(40_000),
    ])
      linkText(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each([
    ['**bold** and _it_ and ~~gone~~', '*bold* and _it_ and ~gone~'],
    ['# Title\n\ntext', '*Title*\n\ntext'],
    ['- one\n- **two**', '• one\n• *two*'],
    ['1. a\n2. b', '1. a\n2. b'],
    ['[A](https://a.example) `c`', '<https://a.example|A> `c`'],
    ['```js\nx < y\n```', '```\nx < y\n```'],
  ])('turns markdown %j into mrkdwn', (markdown, mrkdwn) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
  });

  it('applies to posts, updates and, on request, names; search finds a URL', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const handle = await ws.handleOf(ws.admin.id);
    const post = async (args: object) =>
      (await bot.call('chat.postMessage', { channel: ws.general.id, ...args })).message;
    expect((await post({ text: 'at https://find.example/me' })).text).toBe('at <https://find.example/me>');
    expect(await bot.call('search.messages', { query: 'https://find.example/me' })).toMatchObject({
      messages: { total: 1 },
    });
    const asSent = { text: 'http://a.example', parse: 'none', mrkdwn: false };
    expect((await post(asSent)).text).toBe('http://a.example');
    for (const names of [{ parse: 'full' }, { link_names: true }])
      expect((await post({ text: `#random @${handle} #nowhere`, ...names })).text).toBe(
        `<#${ws.random.id}|random> <@${ws.admin.id}> #nowhere`,
      );
    expect((await post({ markdown_text: '**x**' })).text).toBe('*x*');
    app.clock.advance(10_000); // a channel accepts a burst of five
    const { ts } = await post({ text: 'x' });
    const updated = await bot.call('chat.update', { channel: ws.general.id, ts, text: 'http://b.example' });
    expect([updated.text, updated.message.text]).toEqual(['<http://b.example>', '<http://b.example>']);
    app.clock.advance(10_000);
    const blocks = [{ type: 'divider' }];
    const attached = (more: object) =>
      bot.call('chat.postMessage', { channel: ws.general.id, attachments: [{ blocks, ...more }] });
    expect(await attached({ color: '#fff', fallback: 'x', id: 1, ts: 1 })).toMatchObject({ ok: true });
    app.clock.advance(10_000);
    for (const field of ['title', 'text', 'pretext', 'callback_id', 'actions'])
      expect(await attached({ [field]: 'x' })).toMatchObject({ ok: false, error: 'invalid_attachments' });
  });

  it('is linked for every author, and in no other part of a message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const url = 'http://a.example/x';
    await ws.join(ws.random, bot);
    const post = async (args: object) =>
      (await bot.call('chat.postMessage', { channel: ws.general.id, ...args })).message;
    for (const one of [{ parse: 'none' }, { mrkdwn: false }])
      expect((await post({ text: url, ...one })).text).toBe(`<${url}>`);
    const blocks = [{ type: 'section', block_id: 'b', text: { type: 'mrkdwn', text: url, verbatim: false } }];
    const parts = await post({ text: url, blocks, attachments: [{ text: url, fallback: url }] });
    expect(parts).toMatchObject({ text: `<${url}>`, blocks, attachments: [{ text: url, fallback: url }] });

    const hook = (await rest(app, 'POST /webhooks/incoming', { token: bot.token, body: { channel: 'random' } })).body;
    await rest(app, `POST ${new URL(hook.url as string).pathname.slice(4)}`, { body: { text: `see ${url}.` } });
    const { messages } = await bot.call('conversations.history', { channel: ws.random.id, limit: 1 });
    expect(messages[0].text).toBe(`see <${url}>.`);

    for (const [method, field] of [
      ['conversations.setTopic', 'topic'],
      ['conversations.setPurpose', 'purpose'],
    ] as const) {
      await bot.call(method, { channel: ws.random.id, [field]: url });
      const { channel } = await bot.call('conversations.info', { channel: ws.random.id });
      expect(channel[field].value).toBe(url);
    }
    // the limit counts the text as it was sent
    const { ts } = await post({ text: 'x' });
    const longest = `${'y'.repeat(4_000 - url.length - 1)} ${url}`;
    const updated = await bot.call('chat.update', { channel: ws.general.id, ts, text: longest });
    expect([updated.ok, updated.text?.length]).toEqual([true, 4_002]);
  });

  it('shows the emoji of a status with its image URL on this service', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const { profile } = await ann.call('users.profile.set', {
      profile: { status_emoji: ':rocket:', status_text: 'x' },
    });
    expect(profile.status_emoji_display_info).toEqual([
      { emoji_name: 'rocket', display_url: `${app.baseUrl}/emoji/1f680.svg`, unicode: '1f680' },
    ]);
    const picture = await fetch(profile.status_emoji_display_info[0].display_url as string);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect((await fetch(`${app.baseUrl}/emoji/ffff.svg`)).status).toBe(404);
  });
});
