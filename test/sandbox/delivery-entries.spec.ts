import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { TestSandbox } from '../support/sandbox.js';
import { closeSockets, connect } from '../support/socket-app.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#timeline, #deliveries */
describe('deliveries to apps, on the timeline and in the list of deliveries', () => {
  const app = useApp();
  closeReceivers();
  closeSockets();

  const ofKind = async (sandbox: TestSandbox, kind: string): Promise<Any[]> => {
    const { entries } = (await sandbox.control('GET', '/timeline?kind=delivery')).body;
    return entries.filter((entry: Any) => entry.target.kind === kind);
  };
  const listed = async (sandbox: TestSandbox, query = ''): Promise<Any[]> =>
    (await sandbox.control('GET', `/deliveries${query}`)).body.deliveries;

  it('include commands, with request, answer, cause and trigger; a command cannot be redelivered', async () => {
    const sandbox = await TestSandbox.make(app);
    const far = await receiver(
      (_, reply) => void reply.setHeader('content-type', 'application/json').end('{"text":"gone"}'),
    );
    const made = await sandbox.send('POST', '/api/commands', sandbox.bot, { command: '/go', url: far.url });
    const { channels } = (await sandbox.call('conversations.list', {})).body;
    const execute = (): Promise<Any> =>
      sandbox.send('POST', '/api/commands/execute', sandbox.person, {
        command: '/go',
        text: 'far',
        channel_id: channels[0].id,
      });
    expect((await execute()).status).toBe(200);
    await sandbox.control('POST', '/wait', { for: 'delivery', after: 'start' });
    const [entry] = await ofKind(sandbox, 'command');
    const call = (await sandbox.control('GET', '/timeline?kind=call&method=POST /api/commands/execute')).body
      .entries[0];
    expect(entry).toMatchObject({
      product: 'chat',
      delivery_id: expect.stringMatching(/^\d+$/),
      target: { id: made.body.id, kind: 'command', url: far.url },
      attempt: 1,
      event_id: null,
      event: 'slash_command',
      trigger_id: expect.stringMatching(/^\d{13}\./),
      request: {
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-slack-signature': expect.any(String) },
        body: { command: '/go', text: 'far', token: '[redacted]' },
      },
      response: { status: 200, body: { text: 'gone' } },
      next_retry_at: null,
      cause: call.request_id,
    });
    expect(entry.request.body.trigger_id).toBe(entry.trigger_id);
    const [delivery] = await listed(sandbox);
    expect(delivery).toMatchObject({
      id: entry.delivery_id,
      state: 'done',
      event: 'slash_command',
      target: entry.target,
    });
    const { id, kind, ...shown } = entry;
    void [id, kind];
    expect(delivery.attempts).toEqual([{ ...shown, at: expect.any(String) }]);
    expect(await sandbox.control('POST', `/deliveries/${delivery.id}/redeliver`)).toMatchObject({
      status: 409,
      body: { message: 'not_redeliverable' },
    });
    far.answer = (_, reply) => void reply.writeHead(500).end();
    expect((await execute()).status).toBe(502);
    await sandbox.control('POST', '/delivery-rules', { on: { kind: 'command' }, do: { type: 'drop' } });
    expect(await execute()).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
    await eventually(async () => (await listed(sandbox, '?state=failed')).length === 2, 'two that failed');
    const [failed, lost] = await listed(sandbox, '?state=failed');
    expect(failed.attempts).toMatchObject([{ error: 'http_error', response: { status: 500 } }]);
    expect(lost.attempts).toMatchObject([{ error: 'lost', rule: expect.stringMatching(/^Dr/) }]);
  });

  it("include interactions; a dropped one answers the user's click with 502", async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body;
    const made = await sandbox.send('POST', '/api/apps', sandbox.person, {
      manifest: {
        display_information: { name: 'clicker' },
        oauth_config: { scopes: { bot: ['chat:write', 'chat:write.public'] } },
        settings: { interactivity: { request_url: url } },
      },
    });
    const bot = { authorization: `Bearer ${made.body.bot_token}` };
    const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' }, value: '1' };
    const posted = await sandbox.call(
      'chat.postMessage',
      { channel: 'general', text: 'click', blocks: [{ type: 'actions', block_id: 'b', elements: [button] }] },
      bot,
    );
    const click = (): Promise<Any> =>
      sandbox.send('POST', '/api/interactions', sandbox.person, {
        channel: posted.body.channel,
        message_ts: posted.body.ts,
        actions: [{ action_id: 'go', block_id: 'b', type: 'button', value: '1' }],
      });
    const clicked = await click();
    expect([clicked.status, clicked.body]).toMatchObject([200, {}]);
    await sandbox.control('POST', '/wait', { for: 'delivery', after: 'start' });
    const [entry] = await ofKind(sandbox, 'interaction');
    expect(entry).toMatchObject({
      event: 'block_actions',
      app_id: made.body.id,
      target: { id: made.body.id, url: expect.stringContaining('/in/[redacted]') },
      trigger_id: expect.any(String),
      request: { body: { payload: { type: 'block_actions', trigger_id: expect.any(String) } } },
      response: { status: 200 },
    });
    expect((await sandbox.control('GET', `/timeline?kind=delivery&app_id=${made.body.id}`)).body.entries).toHaveLength(
      1,
    );
    await sandbox.control('POST', '/delivery-rules', { on: { kind: 'interaction' }, do: { type: 'drop' } });
    expect(await click()).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
  });

  it('include envelopes sent over a socket, with their acknowledgement, and follow the rules', async () => {
    const sandbox = await TestSandbox.make(app);
    const made = await sandbox.send('POST', '/api/apps', sandbox.person, {
      manifest: {
        display_information: { name: 'socketed' },
        oauth_config: { scopes: { bot: ['channels:history', 'channels:join', 'chat:write'] } },
        settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.channels'] } },
      },
    });
    const socket = await connect(app, made.body.app_token);
    const bot = { authorization: `Bearer ${made.body.bot_token}` };
    const { channels } = (await sandbox.call('conversations.list', {})).body;
    const general = channels.find(({ name }: Any) => name === 'general').id;
    await sandbox.call('conversations.join', { channel: general }, bot);
    await sandbox.control('POST', '/delivery-rules', { on: { kind: 'socket' }, do: { type: 'drop' }, times: 1 });
    await sandbox.control('POST', '/delivery-rules', { on: { kind: 'socket' }, do: { type: 'bad_signature' } });
    await sandbox.call('chat.postMessage', { channel: general, text: 'lost' });
    await eventually(async () => (await ofKind(sandbox, 'socket')).some(({ error }) => error === 'lost'), 'a lost one');
    await sandbox.call('chat.postMessage', { channel: general, text: 'over the socket' });
    const [envelope] = await socket
      .until(() => socket.of('events_api').some(({ payload }) => payload.event.text === 'over the socket'))
      .then(() => socket.of('events_api').slice(-1));
    socket.ack(envelope as Any);
    await eventually(
      async () => (await ofKind(sandbox, 'socket')).some(({ response }) => response?.status === 200),
      'an acknowledged one',
    );
    const entry = (await ofKind(sandbox, 'socket')).find(({ response }) => response?.status === 200);
    expect(entry).toMatchObject({
      target: { kind: 'socket', url: null },
      app_id: made.body.id,
      event: 'message',
      event_id: envelope?.['payload'].event_id,
      request: { body: { event: { text: 'over the socket' } } },
    });
    expect(entry).not.toHaveProperty('rule');
  });

  it('have no bodies when the journal is off', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('PATCH', '', { journal: false });
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body;
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'nobody keeps this' });
    await sandbox.control('POST', '/wait', { for: 'delivery', after: 'start' });
    const [entry] = await ofKind(sandbox, 'outgoing_webhook');
    expect(entry).toMatchObject({ response: { status: 200 }, request: { headers: expect.any(Object) } });
    expect(entry.request).not.toHaveProperty('body');
    expect(entry.response).not.toHaveProperty('body');
    const { entries } = (await sandbox.control('GET', '/timeline?kind=call,received')).body;
    expect(entries.filter(({ method }: Any) => method === 'chat.postMessage')).toEqual([]);
  });
});
