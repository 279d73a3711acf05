import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { refusal, rest } from '../../support/rest-client.js';

describe('incoming webhooks', () => {
  const app = useApp();
  /** The part of its URL that identifies a webhook: id and secret. */
  const at = (hook: { url: string }): string => hook.url.split('/incoming/')[1] as string;
  const post = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    rest(app, `POST /webhooks/incoming/${id}`, {
      body: typeof body === 'string' || body instanceof URLSearchParams ? body : JSON.stringify(body),
      headers: body instanceof URLSearchParams ? headers : { 'content-type': 'application/json', ...headers },
    });

  it('are created for a channel that the caller sees, and listed without secrets', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ name: 'deploys' });
    const make = (token: string, body: object) => rest(app, 'POST /webhooks/incoming', { token, body });
    const { status, body } = await make(bot.token, { channel: '#general', icon_emoji: ':rocket:' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^B0/),
      url: expect.stringMatching(new RegExp(`^${app.baseUrl}/api/webhooks/incoming/${body.id}/[A-Za-z0-9]{24}$`)),
      channel: '#general',
      channel_id: ws.general.id,
      name: 'deploys',
      icons: { emoji: ':rocket:' },
      app_id: bot.appId,
      team_id: ws.id,
      creator: bot.userId,
      created: expect.any(Number),
    });
    const person = await ws.jwtClient({ user: ws.admin });
    expect((await make(person.token, { channel: ws.general.id })).body.app_id).toBe(ws.defaultApp.id);
    expect((await make(person.token, { channel: 'general', app_id: bot.appId, name: 'x' })).body.app_id).toBe(
      bot.appId,
    );
    expect((await make(person.token, { channel: 'general', app_id: 'A0NOTHING00' })).body).toEqual(
      refusal(404, 'app_not_found'),
    );
    const secret = await ws.channel({ isPrivate: true });
    expect((await make(bot.token, { channel: secret.id })).body).toEqual(refusal(404, 'channel_not_found'));
    const poor = await ws.bot({ scopes: ['chat:write'] });
    expect((await make(poor.token, { channel: 'general' })).body).toEqual(refusal(403, 'missing_scope'));
    expect((await make(bot.token, {})).status).toBe(400);
    expect((await make(bot.token, { channel: 'general', name: 'x'.repeat(81) })).status).toBe(400);
    const archived = await ws.channel();
    await ws.archive(archived);
    expect((await make(bot.token, { channel: archived.id })).body).toEqual(refusal(409, 'channel_is_archived'));
    const list = await rest(app, 'GET /webhooks/incoming', { token: person.token });
    expect(list.body.webhooks).toHaveLength(3);
    expect(list.body.webhooks[0]).toEqual(body);
  });

  it('post a bot_message under the name of the webhook', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { body: hook } = await rest(app, 'POST /webhooks/incoming', {
      token: bot.token,
      body: { channel: 'random', name: 'ci' },
    });
    const answers = [
      await post(at(hook), { text: 'green', username: 'ignored', channel: '#general' }),
      await post(at(hook), new URLSearchParams({ payload: JSON.stringify({ text: 'form' }) })),
    ];
    expect(answers.map((answer) => [answer.status, answer.text, answer.headers.get('content-type')])).toEqual(
      [0, 1].map(() => [200, 'ok', 'text/plain; charset=utf-8']),
    );
    const messages = await ws.recorded('message');
    expect(messages.map((message) => message['text'])).toEqual(['green', 'form']);
    expect(messages[0]).toMatchObject({
      subtype: 'bot_message',
      bot_id: hook.id,
      app_id: bot.appId,
      is_bot: true,
      username: 'ci',
      channel: ws.random.id,
    });
    expect(messages[0]).not.toHaveProperty('user');
  });

  it('refuse bodies that are no message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const cases: [unknown, number, string, Record<string, string>?][] = [
      ['', 400, 'invalid_payload'],
      ['{', 400, 'invalid_payload'],
      ['[1]', 400, 'invalid_payload'],
      [{ text: 5 }, 400, 'invalid_payload'],
      [{ text: 'x', metadata: {} }, 400, 'invalid_payload'],
      [{ text: 'x' }, 400, 'invalid_payload', { 'content-type': 'application/xml' }],
      [new URLSearchParams({ nothing: '1' }), 400, 'invalid_payload'],
      [{}, 400, 'no_text'],
      [{ text: ' ' }, 400, 'no_text'],
      [{ blocks: 'x' }, 400, 'invalid_blocks_format'],
      [{ blocks: [{ type: 'nonsense' }] }, 400, 'invalid_blocks'],
      [{ text: 'x', attachments: [5] }, 400, 'invalid_attachments'],
      [{ attachments: Array.from({ length: 101 }, () => ({ text: 'x' })) }, 400, 'too_many_attachments'],
    ];
    for (const [body, status, text, headers] of cases) {
      const { body: hook } = await rest(app, 'POST /webhooks/incoming', {
        token: bot.token,
        body: { channel: 'random' },
      });
      const answer = await post(at(hook), body, headers);
      expect([answer.status, answer.text], JSON.stringify(body)).toEqual([status, text]);
    }
    expect((await post('B0NOTHING00', { text: 'x' })).text).toBe('no_service');
    const { body: hook } = await rest(app, 'POST /webhooks/incoming', {
      token: bot.token,
      body: { channel: 'random' },
    });
    expect((await post(at(hook), { text: 'x'.repeat(2 * 1024 * 1024) })).body).toEqual(
      refusal(413, 'payload_too_large'),
    );
  });

  it('answer 410 in an archived channel, 429 after a burst, and no_service once deleted', async () => {
    const ws = await app.workspace();
    const [bot, member] = [await ws.bot(), await ws.jwtClient()];
    const channel = await ws.channel();
    const { body: hook } = await rest(app, 'POST /webhooks/incoming', {
      token: bot.token,
      body: { channel: channel.id },
    });
    const burst = [];
    for (let i = 0; i < 6; i++) burst.push(await post(at(hook), { text: 'x' }));
    const last = burst[5];
    expect([last?.status, last?.text, Number(last?.headers.get('retry-after')) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    const { body: second } = await rest(app, 'POST /webhooks/incoming', {
      token: bot.token,
      body: { channel: channel.id },
    });
    await ws.archive(channel);
    const gone = await post(at(second), { text: 'x' });
    expect([gone.status, gone.text]).toEqual([410, 'channel_is_archived']);

    const remove = (token: string, id: string) => rest(app, `DELETE /webhooks/incoming/${id}`, { token });
    expect((await remove(member.token, hook.id)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove((await (await app.workspace()).bot()).token, hook.id)).body).toEqual(
      refusal(404, 'webhook_not_found'),
    );
    expect((await remove(bot.token, hook.id)).body).toEqual({ success: true });
    expect((await remove((await ws.adminClient()).token, second.id)).body).toEqual({ success: true });
    const dead = await post(at(hook), { text: 'x' });
    expect([dead.status, dead.text]).toEqual([404, 'no_service']);
  });
});
