import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';
import { refusal, rest } from '../support/rest-client.js';

describe('POST /api/act/<verb> in conversations', () => {
  const app = useApp();
  closeReceivers();

  it("message: answers the deliveries of its event, and the app's reply in the thread", async () => {
    const ws = await app.workspace();
    const { id, bot, far, act, person } = await modalApp(app, ws, {});
    await ws.join(ws.general, bot);
    await rest(app, 'POST /events/subscribe', {
      token: bot.token,
      body: { request_url: far.url, events: ['message.channels'] },
    });
    // the app acknowledges the event only after its own calls
    far.answer = (request, reply) => {
      const { event } = JSON.parse(request.body) as { event?: Record<string, string> };
      if (event?.['text'] !== 'deploy') return void reply.end();
      const thread = { channel: event['channel'], thread_ts: event['ts'] };
      void bot
        .call('chat.postMessage', { ...thread, text: 'on it' })
        .then((said) => bot.call('chat.update', { channel: event['channel'], ts: said.ts, text: 'on it!' }))
        .then(() => reply.end());
    };
    const { status, body } = await act('message', { channel: '#general', text: 'deploy', wait_ms: 5000 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user_id: person.userId,
      result: { channel: ws.general.id, ts: expect.stringMatching(/^\d{10}\.\d{6}$/) },
      replies: {
        messages: [
          {
            type: 'message',
            text: 'on it!',
            thread_ts: body.result.ts,
            channel: ws.general.id,
            bot_id: bot.botId,
            edited: expect.anything(),
            ms: expect.any(Number),
          },
        ],
        ephemeral: [],
        views: [],
        reactions: [],
      },
      response: null,
      timed_out: false,
      waited_ms: expect.any(Number),
    });
    expect(body.replies.messages[0]).not.toHaveProperty('channel_type');
    expect(body.deliveries).toEqual([
      { app_id: id, kind: 'message', transport: 'http', outcome: 'acked', status_code: 200, ms: expect.any(Number) },
    ]);

    const { body: log } = await rest(app, `GET /act/deliveries?app_id=${id}&limit=1`, { token: person.token });
    expect(log.deliveries).toEqual([
      {
        app_id: id,
        kind: 'message',
        transport: 'http',
        outcome: 'acked',
        status_code: 200,
        ms: expect.any(Number),
        event_id: expect.stringMatching(/^Ev0/),
        attempt: 1,
        at: expect.any(Number),
      },
    ]);
    expect(log.next_cursor).not.toBe('');
  });

  it('message: reports a failing app as an outcome, and ends at the timeout without a reply', async () => {
    const ws = await app.workspace();
    const { bot, far, act } = await modalApp(app, ws);
    await ws.join(ws.general, bot);
    await rest(app, 'POST /events/subscribe', {
      token: bot.token,
      body: { request_url: far.url, events: ['message'] },
    });
    far.answer = (_, reply) => void reply.writeHead(500, { 'x-slack-no-retry': '1' }).end();
    const { body } = await act('message', { channel: 'general', text: 'x', wait_ms: 300 });
    expect(body).toMatchObject({
      deliveries: [{ kind: 'message', outcome: 'failed', status_code: 500, error: 'http_client_error' }],
      replies: { messages: [] },
      timed_out: true,
    });
    const acked = await act('message', { channel: 'general', text: 'x', until: 'ack', wait_ms: 5000 });
    expect(acked.body).toMatchObject({ timed_out: false, deliveries: [{ outcome: 'failed' }] });
    expect((await act('message', { channel: 'general', text: 'x', until: 'none' })).body.timed_out).toBe(false);
  });

  it('message: mentions an app by its name, and sends it a direct message', async () => {
    const ws = await app.workspace();
    const { id, bot, act } = await modalApp(app, ws);
    const name = await ws.handleOf(bot.userId);
    const quiet = { until: 'none' };
    for (const mention of [id, bot.userId, name, 'modal']) {
      await act('message', { channel: ws.general.id, text: 'hi', mention, ...quiet });
    }
    const texts = (await ws.recorded('message')).map((event) => event['text']);
    expect(texts).toEqual(Array.from({ length: 4 }, () => `<@${bot.userId}> hi`));
    const { body } = await act('message', { channel: `@${name}`, text: 'psst', ...quiet });
    expect(body.result.channel).toMatch(/^D0/);
    const again = await act('message', { channel: bot.userId, text: 'psst', ...quiet });
    expect(again.body.result.channel).toBe(body.result.channel);
  });

  it('edit, delete, react, unreact, join, leave and invite have the effect of the methods', async () => {
    const ws = await app.workspace();
    const { bot, act, person } = await modalApp(app, ws);
    const other = await ws.user({ name: 'bob-of-act' });
    const { body: said } = await act('message', { channel: '#general', text: 'one', until: 'none' });
    const at = said.result as { channel: string; ts: string };
    expect((await act('edit', { ...at, text: 'two' })).body.result).toEqual(at);
    expect((await act('react', { ...at, name: 'tada' })).body.result).toEqual({});
    expect((await act('unreact', { ...at, name: 'tada' })).body.result).toEqual({});
    expect((await act('delete', { ...at })).body.result).toEqual(at);
    const channel = await ws.channel({ members: [{ id: ws.admin.id }] });
    expect((await act('join', { channel: channel.name })).body.result).toEqual({ channel: channel.id });
    const invited = await act('invite', { channel: channel.name, users: ['bob-of-act', '@modal'] });
    expect(invited.body.result).toEqual({ channel: channel.id });
    expect((await act('leave', { channel: `#${channel.name}` })).body.result).toEqual({ channel: channel.id });
    const { members } = await (await ws.adminClient()).call('conversations.members', { channel: channel.id });
    expect(members).toEqual(expect.arrayContaining([ws.admin.id, other.id, bot.userId]));
    expect(members).not.toContain(person.userId);
  });

  it('answers the errors of the methods with the HTTP statuses of the control plane', async () => {
    const ws = await app.workspace();
    const { act, person, bot } = await modalApp(app, ws);
    const channel = await ws.channel({ members: [person] });
    const theirs = await bot.call('chat.postMessage', { channel: ws.general.id, text: 'x' });
    const { body: mine } = await act('message', { channel: channel.id, text: 'x', until: 'none' });
    const at = mine.result as { channel: string; ts: string };
    const refused = async (verb: string, body: object) => {
      const answer = await act(verb, body as Record<string, unknown>);
      return [answer.status, answer.body.message];
    };
    expect(await refused('message', { channel: '#nowhere', text: 'x' })).toEqual([404, 'channel_not_found']);
    expect(await refused('message', { channel: channel.id })).toEqual([400, 'no_text']);
    expect(await refused('message', { channel: channel.id, text: 'x', mention: 'nobody' })).toEqual([
      404,
      'user_not_found',
    ]);
    expect(await refused('message', { text: 'x' })).toEqual([400, ['channel must be a string']]);
    expect(await refused('message', { channel: channel.id, text: 'x', wait_ms: 10_001 })).toEqual([
      400,
      ['wait_ms must be an integer from 0 to 10000'],
    ]);
    expect(await refused('message', { channel: channel.id, text: 'x', until: 'never' })).toEqual([
      400,
      ['until must be one of ack, activity, reply, none'],
    ]);
    expect(await refused('edit', { channel: ws.general.id, ts: theirs.ts, text: 'y' })).toEqual([
      403,
      'cant_update_message',
    ]);
    expect(await refused('edit', { ...at, ts: '1.000000', text: 'y' })).toEqual([404, 'message_not_found']);
    await act('react', { ...at, name: 'tada' });
    expect(await refused('react', { ...at, name: 'tada' })).toEqual([409, 'already_reacted']);
    expect(await refused('unreact', { ...at, name: 'wave' })).toEqual([404, 'no_reaction']);
    expect(await refused('react', { ...at, name: 'no such' })).toEqual([400, 'invalid_name']);
    expect(await refused('leave', { channel: 'general' })).toEqual([403, 'cant_leave_general']);
    expect(await refused('leave', { channel: 'random' })).toEqual([404, 'not_in_channel']);
    expect(await refused('invite', { channel: channel.id, users: 'nobody' })).toEqual([404, 'user_not_found']);
    await ws.archive(channel);
    expect(await refused('message', { channel: channel.id, text: 'x' })).toEqual([409, 'is_archived']);
    expect(await refused('dance', {})).toEqual([404, 'not_found']);
  });

  it('is for users; admins and operators may act as a user', async () => {
    const ws = await app.workspace();
    const { bot, person, act } = await modalApp(app, ws);
    const ann = await ws.user({ name: 'ann-of-act' });
    const admin = await ws.jwtClient({ user: ws.admin });
    const message = (body: object, token?: string, headers: Record<string, string> = {}) =>
      rest(app, 'POST /act/message', {
        token,
        headers,
        body: { channel: 'general', text: 'x', until: 'none', ...body },
      });
    expect((await message({})).body).toEqual(refusal(401, 'not_authed'));
    expect((await message({}, bot.token)).body).toEqual(refusal(403, 'not_allowed_token_type'));
    expect((await act('message', { channel: 'general', text: 'x', as: ann.id })).body).toEqual(
      refusal(403, 'not_admin'),
    );
    for (const as of [ann.id, 'ann-of-act', '@ann-of-act', `ann-of-act@${ws.domain}.example`]) {
      expect((await message({ as }, admin.token)).body.user_id).toBe(ann.id);
    }
    const user = await ws.userClient({ scopes: [] });
    expect((await message({}, user.token)).body.user_id).toBe(user.userId);
    expect((await message({ as: 'nobody' }, admin.token)).body).toEqual(refusal(404, 'user_not_found'));
    expect((await message({ as: bot.userId }, admin.token)).status).toBe(400);

    const operator = { 'x-admin-token': app.settings.adminToken as string };
    expect((await message({ as: ann.id, team_id: ws.id }, undefined, operator)).body.user_id).toBe(ann.id);
    expect((await message({ team_id: ws.id }, undefined, operator)).status).toBe(400);
    expect((await message({ as: ann.id, team_id: 'T0NOTHING00' }, undefined, operator)).body).toEqual(
      refusal(404, 'team_not_found'),
    );
    expect((await message({ as: ann.id }, undefined, { 'x-admin-token': 'wrong-token' })).body).toEqual(
      refusal(401, 'invalid_auth'),
    );
    expect((await rest(app, 'GET /act/deliveries?app_id=A0NOTHING00', { token: person.token })).body).toEqual(
      refusal(404, 'app_not_found'),
    );
  });
});
