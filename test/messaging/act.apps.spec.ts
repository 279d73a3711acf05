import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { input, label, modal, modalApp, option, type Json } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';
import { refusal, rest } from '../support/rest-client.js';

describe('POST /api/act/<verb> with apps', () => {
  const app = useApp();
  closeReceivers();

  it("command: answers what was sent, the app's reply, and what only the user sees", async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const made = await rest(app, 'POST /commands', {
      token: modals.bot.token,
      body: { command: '/go', url: modals.far.url },
    });
    modals.far.answer = (_, reply) => void reply.setHeader('content-type', 'application/json').end('{"text":"gone"}');
    const { body } = await modals.act('command', { channel: '#general', command: '/go', text: 'far' });
    expect(body).toMatchObject({
      result: {
        command_id: made.body.id,
        trigger_id: expect.stringMatching(/^\d{13}\.\d{12}\.[0-9a-f]{24}$/),
        response_url: expect.stringContaining('/api/interactions/respond/'),
        message_ts: null,
      },
      deliveries: [{ app_id: modals.id, kind: 'slash_command', transport: 'http', outcome: 'acked', status_code: 200 }],
      replies: { ephemeral: [{ text: 'gone', channel: ws.general.id, is_ephemeral: true }] },
      response: { text: 'gone' },
      timed_out: false,
    });
    const screen = await rest(app, 'GET /act/screen', { token: modals.person.token });
    expect(screen.body).toMatchObject({
      user_id: modals.person.userId,
      modals: [],
      home: {},
      ephemeral: [{ text: 'gone', channel: ws.general.id }],
      assistant: [],
    });

    modals.far.answer = (_, reply) => void reply.writeHead(500).end();
    const failed = await modals.act('command', { channel: 'general', command: 'go' });
    expect(failed.body).toMatchObject({
      result: { command_id: made.body.id, trigger_id: expect.any(String), message_ts: null },
      deliveries: [{ outcome: 'failed', status_code: 500, error: 'http_client_error' }],
      response: null,
    });
    expect(await modals.refused('command', { channel: 'general', command: '/no' })).toEqual([404, 'command_not_found']);
    await modals.far.close();
    expect((await modals.act('command', { channel: 'general', command: 'go' })).body).toMatchObject({
      deliveries: [{ outcome: 'failed', status_code: null, error: 'connection_failed' }],
      timed_out: true,
    });
  });

  it('click: presses a button of a message, and selects an option by its value', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const { ts } = await modals.bot.call('chat.postMessage', {
      channel: ws.general.id,
      text: 'x',
      blocks: [
        {
          type: 'actions',
          block_id: 'b',
          elements: [
            { type: 'button', action_id: 'ok', text: label('OK'), value: '1' },
            { type: 'static_select', action_id: 'pick', options: [option('a'), option('b')] },
          ],
        },
      ],
    });
    const at = { channel: ws.general.id, message_ts: ts as string };
    const { body } = await modals.act('click', { ...at, action_id: 'ok' });
    expect(body).toMatchObject({
      result: { trigger_id: expect.any(String), response_url: expect.any(String) },
      deliveries: [{ kind: 'block_actions', outcome: 'acked' }],
      response: null,
      timed_out: false,
    });
    expect(modals.payload()['actions']).toMatchObject([{ type: 'button', action_id: 'ok', block_id: 'b', value: '1' }]);
    await modals.act('click', { ...at, actions: [{ action_id: 'pick', value: 'b' }] });
    expect(modals.payload()['actions']).toEqual([
      {
        type: 'static_select',
        action_id: 'pick',
        block_id: 'b',
        selected_option: option('b'),
        action_ts: expect.any(String),
      },
    ]);
    for (const choice of [{ value: 'c' }, { selected_option: 'c' }, {}]) {
      expect(await modals.refused('click', { ...at, action_id: 'pick', ...choice })).toEqual([400, 'invalid_option']);
    }
    expect(await modals.refused('click', { ...at, action_id: 'no' })).toEqual([404, 'action_not_found']);
    expect(await modals.refused('click', { ...at, message_ts: '1.0', action_id: 'ok' })).toEqual([
      404,
      'message_not_found',
    ]);
    expect(await modals.refused('click', { action_id: 'ok' })).toMatchObject([400, [expect.any(String)]]);
    expect(await modals.refused('click', at)).toEqual([400, ['action_id must be a string']]);
  });

  it('click: works on an ephemeral message', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    await ws.join(ws.general, modals.bot);
    const { message_ts } = await modals.bot.call('chat.postEphemeral', {
      channel: ws.general.id,
      user: modals.person.userId,
      text: 'only you',
      blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: 'ok', text: label('OK') }] }],
    });
    const { status } = await modals.act('click', { channel: ws.general.id, message_ts, action_id: 'ok' });
    expect(status).toBe(200);
    expect(modals.payload()['container']).toMatchObject({ is_ephemeral: true, message_ts });
  });

  it('suggest: calls message_menu_options_url where the manifest has one', async () => {
    const ws = await app.workspace();
    const other = await modalApp(app, ws);
    const modals = await modalApp(app, ws, {
      settings: { interactivity: { request_url: 'http://127.0.0.1:9/no', message_menu_options_url: other.far.url } },
    });
    other.far.answer = (_, reply) =>
      void reply.end(JSON.stringify({ option_groups: [{ label: label('g'), options: [option('q')] }] }));
    const { ts } = await modals.bot.call('chat.postMessage', {
      channel: ws.general.id,
      text: 'x',
      blocks: [{ type: 'actions', elements: [{ type: 'external_select', action_id: 'x' }] }],
    });
    const { body } = await modals.act('suggest', {
      channel: ws.general.id,
      message_ts: ts,
      action_id: 'x',
      value: 'a',
    });
    expect(body.result).toEqual({ options: [], option_groups: [{ label: label('g'), options: [option('q')] }] });
  });

  it('shortcut: runs global shortcuts and message shortcuts', async () => {
    const ws = await app.workspace();
    const shortcut = (type: string, callback_id: string) => ({ name: 'S', type, callback_id, description: 'does' });
    const modals = await modalApp(app, ws, {
      features: { shortcuts: [shortcut('global', 'g'), shortcut('message', 'm')] },
    });
    const { body } = await modals.act('shortcut', { callback_id: 'g' });
    expect(body).toMatchObject({ result: { trigger_id: expect.any(String) }, deliveries: [{ kind: 'shortcut' }] });
    expect(modals.payload()).toMatchObject({ type: 'shortcut', callback_id: 'g', action_ts: expect.any(String) });
    expect(modals.payload()).not.toHaveProperty('channel');
    const said = await modals.act('message', { channel: 'general', text: 'look', until: 'none' });
    const at = { channel: ws.general.id, message_ts: said.body.result.ts as string };
    expect((await modals.act('shortcut', { callback_id: 'm', ...at })).body.deliveries).toMatchObject([
      { kind: 'message_action' },
    ]);
    expect(modals.payload()).toMatchObject({
      type: 'message_action',
      message_ts: at.message_ts,
      channel: { id: ws.general.id, name: 'general' },
      message: { text: 'look' },
      response_url: expect.any(String),
    });
    expect(await modals.refused('shortcut', { callback_id: 'm' })).toEqual([404, 'shortcut_not_found']);
    expect(await modals.refused('shortcut', { callback_id: 'g', ...at })).toEqual([404, 'shortcut_not_found']);
  });

  it('POST /api/interactions sends the same payloads, type by type', async () => {
    const ws = await app.workspace();
    const shortcuts = ['global', 'message'].map((type) => ({
      name: 'S',
      type,
      callback_id: type,
      description: 'does',
    }));
    const modals = await modalApp(app, ws, { features: { shortcuts } });
    const play = async (body: Json) => {
      const answer = await rest(app, 'POST /interactions', { token: modals.person.token, body });
      return { ...answer, sent: modals.payload() };
    };
    const view = await modals.open(
      modal({
        submit: label('Go'),
        notify_on_close: true,
        blocks: [
          input('name', { type: 'plain_text_input', action_id: 'n' }),
          { type: 'actions', elements: [{ type: 'external_select', action_id: 'x' }] },
        ],
      }),
    );
    const at = { view_id: view['id'] };
    const { ts } = await modals.bot.call('chat.postMessage', { channel: ws.general.id, text: 'look' });
    modals.far.answer = (_, reply) => void reply.end(JSON.stringify({ options: [option('q')] }));
    const suggest = await play({ type: 'block_suggestion', ...at, actions: [{ action_id: 'x', value: 'q' }] });
    expect([suggest.body.response, suggest.sent]).toMatchObject([
      { options: [option('q')] },
      { type: 'block_suggestion', value: 'q' },
    ]);
    modals.far.answer = (_, reply) => void reply.end();
    const clicked = await play({ ...at, actions: [{ action_id: 'x', selected_option: option('q') }] });
    expect([clicked.body.transport, clicked.sent]).toMatchObject([
      'http',
      { type: 'block_actions', view: { id: view['id'] } },
    ]);
    const global = await play({ type: 'shortcut', callback_id: 'global' });
    expect([global.status, global.sent]).toMatchObject([200, { type: 'shortcut', trigger_id: global.body.trigger_id }]);
    const message = { channel: ws.general.id, message_ts: ts as string };
    const ofMessage = await play({ type: 'message_action', callback_id: 'message', ...message });
    expect([ofMessage.status, ofMessage.sent]).toMatchObject([200, { type: 'message_action', message_ts: ts }]);
    const submitted = await play({ type: 'view_submission', ...at, values: { n: 'ann' } });
    expect([submitted.body.result, submitted.sent]).toMatchObject([
      { closed: true, errors: {}, view: null },
      { type: 'view_submission', view: { state: { values: { name: { n: { value: 'ann' } } } } } },
    ]);
    expect((await play({ type: 'view_submission', ...at })).body).toEqual(refusal(404, 'view_not_found'));
    const next = await modals.open(modal({ notify_on_close: true }));
    const closed = await play({ type: 'view_closed', view_id: next['id'] });
    expect([closed.status, closed.sent]).toMatchObject([200, { type: 'view_closed', view: { id: next['id'] } }]);
    expect((await play({ type: 'dance' })).status).toBe(400);
  });

  it('home: sends app_home_opened to the app, which publishes a view', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws, {
      features: { app_home: { home_tab_enabled: true, messages_tab_enabled: false } },
    });
    await rest(app, 'POST /events/subscribe', {
      token: modals.bot.token,
      body: { request_url: modals.far.url, events: ['app_home_opened'] },
    });
    modals.far.answer = (request, reply) => {
      reply.end();
      const { event } = JSON.parse(request.body) as { event?: { type: string; user: string } };
      if (event?.type !== 'app_home_opened') return;
      const view = { ...modal({ callback_id: 'home' }), type: 'home' };
      void modals.bot.call('views.publish', { user_id: event.user, view });
    };
    const { body } = await modals.act('home', { app_id: modals.id, wait_ms: 5000 });
    expect(body).toMatchObject({
      result: { channel: expect.stringMatching(/^D0/), view: { type: 'home', callback_id: 'home' } },
      deliveries: [{ app_id: modals.id, kind: 'app_home_opened', outcome: 'acked' }],
      replies: { views: [{ type: 'home', callback_id: 'home', ms: expect.any(Number) }] },
      timed_out: false,
    });
    expect((await ws.recorded('app_home_opened')).at(-1)).not.toHaveProperty('view');
    await modals.act('home', { app_id: modals.id, wait_ms: 0 });
    expect((await ws.recorded('app_home_opened')).at(-1)).toMatchObject({ tab: 'home', view: { callback_id: 'home' } });
    expect(await modals.refused('home', { app_id: modals.id, tab: 'messages' })).toEqual([409, 'not_enabled']);
    expect(await modals.refused('home', { app_id: 'A0NOTHING00' })).toEqual([404, 'app_not_found']);
    const screen = await rest(app, `GET /act/screen?app_id=${modals.id}`, { token: modals.person.token });
    expect(screen.body.home).toMatchObject({ [modals.id]: { callback_id: 'home' } });
  });
});
