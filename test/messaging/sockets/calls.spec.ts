import { describe, expect, it } from 'vitest';
import { Triggers } from '../../../src/messaging/surfaces/triggers.js';
import { useApp } from '../../support/app.js';
import { closeReceivers, eventually, receiver } from '../../support/receiver.js';
import { ChatClient } from '../../support/chat-client.js';
import { input, label, modal } from '../../support/modal-app.js';
import { rest } from '../../support/rest-client.js';
import { connect, closeSockets, socketApp } from '../../support/socket-app.js';

describe('commands over Socket Mode', () => {
  const app = useApp();
  closeSockets();
  closeReceivers();
  const features = { slash_commands: [{ command: '/deploy' }] };

  it('are answered by the ack, on any connection', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { features });
    const one = await connect(app, made['app_token']);
    const person = await ws.jwtClient({ user: ws.admin });
    const run = rest(app, 'POST /commands/execute', {
      token: person.token,
      body: { command: '/deploy', text: 'prod', channel_id: ws.general.id },
    });
    await one.until(() => one.of('slash_commands').length === 1);
    const [envelope] = one.of('slash_commands');
    expect(envelope).toMatchObject({
      envelope_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      accepts_response_payload: true,
      payload: { command: '/deploy', text: 'prod', api_app_id: made['app_id'], team_id: ws.id },
    });
    const two = await connect(app, made['app_token']);
    two.ack(envelope as object, 'on it');
    const { status, body } = await run;
    expect(status).toBe(200);
    expect(body).toMatchObject({ transport: 'socket', status_code: 200, response: { text: 'on it' } });
  });

  it('of an app with neither mode go to a URL while it is not connected, and over a socket while it is', async () => {
    const operator = { 'x-admin-token': app.settings.adminToken as string };
    const { body: made } = await rest(app, 'POST /admin/provision', {
      headers: operator,
      body: { team: { name: 'Auto' }, channels: [{ name: 'ops' }] },
    });
    const far = await receiver();
    const token = made.bot_token as string;
    expect((await rest(app, 'POST /commands', { token, body: { command: '/go', url: far.url } })).status).toBe(201);
    const silent = await rest(app, 'POST /commands', { token, body: { command: '/quiet' } });
    expect([silent.status, silent.body.url]).toEqual([201, null]);
    const run = async (command: string) => {
      const { body } = await rest(app, 'POST /commands/execute', {
        token: made.admin.access_token as string,
        body: { command, channel_id: made.channels[0].id },
      });
      return body.transport ?? body.message;
    };
    expect([await run('/go'), await run('/quiet')]).toEqual(['http', 'connection_failed']);
    const one = await connect(app, made.app_token as string);
    one.socket.on('message', (data) => one.ack(JSON.parse((data as Buffer).toString()) as object));
    expect([await run('/go'), await run('/quiet')]).toEqual(['socket', 'socket']);
    one.socket.close(1000);
    await one.closed();
    await eventually(async () => (await run('/go')) === 'http', 'the URL again');
    expect(far.received.length).toBeGreaterThanOrEqual(2);
  });

  it('answer 502 without a connection, and without an ack within 3 s', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { features });
    const person = await ws.jwtClient({ user: ws.admin });
    const run = (): Promise<{ status: number; body: any }> =>
      rest(app, 'POST /commands/execute', {
        token: person.token,
        body: { command: '/deploy', channel_id: ws.general.id },
      });
    expect(await run()).toMatchObject({ status: 502, body: { message: 'connection_failed' } });
    await connect(app, made['app_token']);
    expect(await run()).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
  });
});

describe('interactions over Socket Mode', () => {
  const app = useApp();
  closeSockets();

  it('follow the payload of the ack for submissions and suggestions, and ignore it for clicks', async () => {
    const ws = await app.workspace();
    const shortcuts = [{ name: 'S', type: 'global', callback_id: 's', description: 'does' }];
    const made = await socketApp(ws, { features: { shortcuts } });
    const one = await connect(app, made['app_token']);
    const bot = new ChatClient(app, made['bot_token'] as string, { userId: made['bot_user_id'] as string });
    const person = await ws.jwtClient();
    const act = (verb: string, body: object) => rest(app, `POST /act/${verb}`, { token: person.token, body });
    /** Sends an interaction, acks it with this payload, and answers the envelope and the outcome for the user. */
    const played = async (verb: string, body: object, payload?: unknown) => {
      const before = one.of('interactive').length;
      const outcome = act(verb, body);
      await one.until(() => one.of('interactive').length > before);
      const envelope = one.of('interactive').at(-1) as Record<string, any>;
      one.ack(envelope, payload);
      return { envelope, body: (await outcome).body };
    };
    const option = { text: label('Q'), value: 'q' };
    const shortcut = await played('shortcut', { callback_id: 's' }, { text: 'ignored' });
    expect(shortcut.envelope).toMatchObject({ accepts_response_payload: false, payload: { type: 'shortcut' } });
    expect(shortcut.body).toMatchObject({
      response: null,
      deliveries: [{ kind: 'shortcut', transport: 'socket', outcome: 'acked', status_code: 200 }],
    });
    const view = modal({
      submit: label('Go'),
      notify_on_close: true,
      blocks: [
        input('name', { type: 'plain_text_input', action_id: 'n' }),
        {
          type: 'actions',
          elements: [
            { type: 'button', action_id: 'b', text: label('b') },
            { type: 'external_select', action_id: 'x' },
          ],
        },
      ],
    });
    expect(shortcut.body.result.trigger_id).toMatch(/^\d{13}\.\d{12}\.[0-9a-f]{24}$/);
    const open = async () => {
      const whose = { workspaceId: ws.id, appId: made['id'] as string, userId: person.userId };
      const trigger_id = await app.nest.get(Triggers, { strict: false }).issue(whose);
      return bot.call('views.open', { trigger_id, view });
    };
    const opened = await open();
    const at = { view_id: opened.view.id as string };
    const click = await played('click', { ...at, action_id: 'b' }, { response_action: 'clear' });
    expect(click.envelope).toMatchObject({ accepts_response_payload: false, payload: { type: 'block_actions' } });
    const suggest = await played('suggest', { ...at, action_id: 'x', value: 'q' }, { options: [option] });
    expect(suggest.envelope).toMatchObject({ accepts_response_payload: true, payload: { type: 'block_suggestion' } });
    expect(suggest.body.result).toEqual({ options: [option] });
    const errors = { name: 'too short' };
    const submit = await played('submit', { ...at, values: { n: 'x' } }, { response_action: 'errors', errors });
    expect(submit.envelope).toMatchObject({ accepts_response_payload: true, payload: { type: 'view_submission' } });
    expect(submit.body.result).toMatchObject({ closed: false, errors });
    // an empty ack closes the view: `null` and `{}` count as empty
    const close = await played('close', at, null);
    expect(close.envelope).toMatchObject({ accepts_response_payload: false, payload: { type: 'view_closed' } });
    expect(close.body.result).toEqual({ closed: true, view: null });
    const again = { view_id: (await open()).view.id as string };
    const done = await played('submit', { ...again, values: { n: 'x' } }, {});
    expect(done.body.result).toEqual({ closed: true, errors: {}, view: null });
  });
});
