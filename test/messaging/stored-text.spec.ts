import { describe, expect, it } from 'vitest';
import { linkText } from '../../src/messaging/wire/link-text.js';
import { toMrkdwn } from '../../src/messaging/wire/markdown.js';
import { useApp } from '../support/app.js';

describe('the text of a message, as it is stored', () => {
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

  it('is linked in no time, whatever is sent', () => {
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

  it('holds for posts, updates and names where they are asked for; a URL is found', async () => {
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
    app.clock.advance(10_000); // a channel takes five at once
    const { ts } = await post({ text: 'x' });
    const updated = await bot.call('chat.update', { channel: ws.general.id, ts, text: 'http://b.example' });
    expect([updated.text, updated.message.text]).toEqual(['<http://b.example>', '<http://b.example>']);
    app.clock.advance(10_000);
    const blocks = [{ type: 'divider' }];
    const attached = (more: object) =>
      bot.call('chat.postMessage', { channel: ws.general.id, attachments: [{ blocks, ...more }] });
    expect(await attached({ color: '#fff', fallback: 'x' })).toMatchObject({ ok: true });
    for (const field of ['title', 'callback_id', 'fields'])
      expect(await attached({ [field]: 'x' })).toMatchObject({ ok: false, error: 'invalid_attachments' });
  });

  it('shows the emoji of a status with its picture, on this service', async () => {
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
