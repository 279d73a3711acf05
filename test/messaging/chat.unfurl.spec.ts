import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('chat.unfurl', () => {
  const app = useApp();

  const setUp = async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ features: { unfurl_domains: ['example.com'] } });
    const url = 'https://docs.example.com/a';
    const message = await ws.message({ channel: ws.general, text: `see ${url} and https://other.test/x` });
    const unfurl = (args: object) =>
      bot.call('chat.unfurl', {
        channel: ws.general.id,
        ts: message.ts,
        unfurls: { [url]: { text: 'A page' } },
        ...args,
      });
    return { ws, bot, url, message, unfurl };
  };

  it('adds an attachment, replaces its own, and sends message_changed without an edit mark', async () => {
    const { ws, bot, url, message, unfurl } = await setUp();
    expect(await unfurl({})).toEqual({ ok: true });
    const attachments = async () =>
      (await bot.call('conversations.history', { channel: ws.general.id })).messages[0].attachments;
    const marks = { from_url: url, app_unfurl_url: url, is_app_unfurl: true, bot_id: bot.botId, app_id: bot.appId };
    expect(await attachments()).toEqual([{ text: 'A page', fallback: 'A page', id: 1, ...marks }]);
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'anew' } }];
    const place = { unfurl_id: `${ws.general.id}.${message.ts}.${'a'.repeat(24)}`, source: 'conversations_history' };
    expect(await unfurl({ channel: '', ts: '', ...place, unfurls: { [url]: { blocks } } })).toEqual({ ok: true });
    expect(await attachments()).toEqual([expect.objectContaining({ id: 1, blocks: [expect.anything()], ...marks })]);
    const [, , changed] = await ws.recorded('message');
    expect(changed).toMatchObject({ subtype: 'message_changed', message: { attachments: [{ id: 1 }] } });
    expect(changed?.['message']).not.toHaveProperty('edited');
  });

  it('answers each error in the documented order', async () => {
    const { ws, unfurl, url } = await setUp();
    expect(await unfurl({ unfurls: '', channel: '' })).toEqual(refused('missing_unfurls'));
    expect(await unfurl({ channel: '', unfurls: { x: 1 } })).toEqual(refused('missing_channel'));
    expect(await unfurl({ ts: '', unfurls: { x: 1 } })).toEqual(refused('missing_ts'));
    expect(await unfurl({ source: 'composer', unfurls: { x: 1 } })).toEqual(refused('missing_unfurl_id'));
    expect(await unfurl({ unfurl_id: 'x', unfurls: { x: 1 } })).toEqual(refused('missing_source'));
    expect(await unfurl({ unfurl_id: 'x', source: 'x', unfurls: { x: 1 } })).toEqual(refused('invalid_source'));
    const composer = { unfurl_id: 'x', source: 'composer' };
    expect(await unfurl({ ...composer, unfurls: { x: 1 } })).toEqual(refused('invalid_unfurls_format'));
    expect(await unfurl({ unfurls: { [url]: { blocks: [{}] } } })).toEqual(refused('invalid_unfurls_format'));
    expect(await unfurl(composer)).toEqual(refused('invalid_unfurl_id'));
    for (const channel of ['C0NOWHERE01', 'x', (await ws.channel({ isPrivate: true })).id])
      expect(await unfurl({ channel, ts: 'x' })).toEqual(refused('cannot_find_channel'));
    for (const ts of ['1.5', 'x']) expect(await unfurl({ ts })).toEqual(refused('cannot_find_message'));
    for (const other of ['https://docs.example.com/b', 'https://other.test/x'])
      expect(await unfurl({ unfurls: { [other]: { text: 'x' } } })).toEqual(refused('cannot_unfurl_url'));
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('chat.unfurl')).toMatchObject({ error: 'missing_scope', needed: 'links:write' });
  });
});
