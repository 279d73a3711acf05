import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import type { ChatClient } from '../../support/chat-client.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';

describe('apps and interactions', () => {
  const app = useApp();
  closeReceivers();
  const make = (client: ChatClient, manifest: unknown) =>
    rest(app, 'POST /apps', { token: client.token, body: { manifest } });
  const named = (name: string, more: object = {}) => ({ display_information: { name }, ...more });

  it('are created from a manifest, with tokens that work at once and are shown only once', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    const manifest = named('My App', {
      oauth_config: { scopes: { bot: ['chat:write', 'odd:one'], user: ['users:read'] } },
      extra: 1,
    });
    const { status, body } = await make(person, manifest);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^A0/),
      app_id: body.id,
      name: 'My App',
      team_id: ws.id,
      bot_id: expect.stringMatching(/^B0/),
      bot_user_id: expect.stringMatching(/^U0/),
      bot_token: expect.stringMatching(/^xoxb-\d{12}-[A-Za-z0-9]{24}$/),
      access_token: body.bot_token,
      user_token: expect.stringMatching(/^xoxp-\d{12}-[A-Za-z0-9]{24}$/),
      scopes: { bot: ['chat:write', 'odd:one'], user: ['users:read'] },
      credentials: {
        signing_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
        verification_token: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
        client_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      client_id: expect.stringMatching(/^[0-9]{12}\.[0-9]{13}$/),
      distributed: false,
      installed: true,
      redirect_urls: [],
      interactivity_url: null,
      app_token: null,
      socket_mode: 'off',
      manifest,
      creator: person.userId,
      created: expect.any(Number),
      warnings: ['extra: no such field', 'oauth_config.scopes.bot[1]: no such scope "odd:one"'],
    });
    const me = (token: string) => rest(app, 'GET /auth/me', { token });
    expect((await me(body.bot_token)).body).toMatchObject({ user_id: body.bot_user_id, user: 'my-app' });
    expect((await me(body.user_token)).body.user_id).toBe(person.userId);
    const admin = await ws.adminClient();
    const twin = await make(admin, named('My App', { oauth_config: { scopes: { user: ['users:read'] } } }));
    expect((await me(twin.body.bot_token)).body.user).toBe('my-app-2');
    expect((await me(twin.body.user_token)).body.user_id).toBe(ws.admin.id);
    expect((await make(person, named('日本'))).body.user_token).toBeNull();
    const list = await rest(app, 'GET /apps', { token: person.token });
    expect(list.text).not.toMatch(/xox|_secret|credentials/);
    expect(list.body.apps.map((one: { name: string }) => one.name)).toEqual(
      expect.arrayContaining(['default-app', 'My App', '日本']),
    );
  });

  it('are created with their commands and subscription, or not at all', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    const far = await receiver((request, reply) => void reply.end(request.body));
    const manifest = (command: string) =>
      named('whole', {
        features: { slash_commands: [{ command, url: far.url, description: 'd', usage_hint: 'h' }] },
        settings: {
          event_subscriptions: { request_url: far.url, bot_events: ['message.channels'] },
          interactivity: { request_url: far.url },
        },
      });
    const made = await make(person, manifest('/go'));
    expect(made.body.interactivity_url).toBe(far.url);
    const shown = async () => ({
      commands: (await rest(app, 'GET /commands', { token: person.token })).body.commands,
      subscriptions: (await rest(app, 'GET /events/subscriptions', { token: person.token })).body.subscriptions,
      apps: (await rest(app, 'GET /apps', { token: person.token })).body.apps,
    });
    const before = await shown();
    expect(before.commands).toMatchObject([
      { command: '/go', description: 'd', usage_hint: 'h', app_id: made.body.id },
    ]);
    expect(before.subscriptions).toMatchObject([
      { app_id: made.body.id, events: ['message.channels'], verified: true },
    ]);
    expect((await make(person, manifest('go'))).body).toEqual(refusal(409, 'command_taken'));
    expect(await shown()).toEqual(before);
  });

  it('may subscribe to any documented event kind, and not to unknown ones', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    const far = await receiver((request, reply) => void reply.end(request.body));
    const whole = (bot_events: string[]) =>
      named('mentioned', {
        oauth_config: { scopes: { bot: ['channels:history'] } },
        settings: { event_subscriptions: { request_url: far.url, bot_events } },
      });
    const sent = whole(['app_mention', 'app_home_opened', 'message.channels']);
    const made = await make(person, sent);
    expect(made.body.manifest).toEqual(sent);
    const { subscriptions } = (await rest(app, 'GET /events/subscriptions', { token: person.token })).body;
    expect(subscriptions).toMatchObject([{ events: ['app_mention', 'app_home_opened', 'message.channels'] }]);
    await person.call('conversations.join', { channel: ws.general.id });
    await person.call('conversations.invite', { channel: ws.general.id, users: made.body.bot_user_id });
    const text = `<@${made.body.bot_user_id}> hello`;
    await person.call('chat.postMessage', { channel: ws.general.id, text });
    await far.until((heard) =>
      heard.some(({ body }) => {
        const { event } = JSON.parse(body) as { event?: { type: string; text?: string } };
        return event?.type === 'message' && event.text === text;
      }),
    );
    expect((await make(person, whole(['app_mentioned']))).status).toBe(400);
  });

  it('have lists and objects with bounds, and at most 50 warnings are looked for', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const make = async (manifest: object): Promise<unknown> => {
      const body = { manifest: { display_information: { name: 'many' }, ...manifest } };
      return (await rest(app, 'POST /apps?strict=true', { token, body })).body.message;
    };
    const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `chat:wirte${i}`);
    const fields = (count: number): object => Object.fromEntries(names(count).map((name) => [name, true]));
    const scopes = (count: number): object => ({ oauth_config: { scopes: { user: names(count) } } });
    expect(await make(scopes(255))).toHaveLength(50);
    expect(await make(scopes(256))).toEqual([
      'manifest.oauth_config.scopes.user must be an array of at most 255 strings',
    ]);
    expect(await make({ settings: fields(1_000) })).toHaveLength(50);
    expect(await make({ settings: fields(1_001) })).toEqual(['manifest.settings must have at most 1000 fields']);
    expect(await make({ features: { shortcuts: Array(101).fill({}) } })).toEqual([
      'manifest.features.shortcuts must be an array of at most 100',
    ]);
    expect(await make({ features: { slash_commands: Array(1_001).fill({}) } })).toEqual([
      'manifest.features.slash_commands must be an array of at most 1000',
    ]);
    expect(await make({ settings: { event_subscriptions: { bot_events: Array(101).fill('app_mention') } } })).toEqual([
      'manifest.settings.event_subscriptions.bot_events must be an array of at most 100 strings',
    ]);
  });

  it('answer 400 with the path of each fault', async () => {
    const person = await (await app.workspace()).jwtClient();
    const faults = async (manifest: unknown): Promise<string> => String((await make(person, manifest)).body.message);
    expect(await faults(undefined)).toMatch(/manifest/);
    expect(await faults('x')).toMatch(/manifest/);
    expect(await faults({})).toMatch(/manifest\.display_information\.name/);
    expect(await faults(named('x'.repeat(36)))).toMatch(/display_information\.name/);
    expect(await faults(named('x', { oauth_config: { scopes: { bot: 'chat:write' } } }))).toMatch(
      /oauth_config\.scopes\.bot/,
    );
    expect(await faults(named('x', { features: { slash_commands: [{ command: '/X!', url: 'x' }] } }))).toMatch(
      /slash_commands\[0\]\.command.*slash_commands\[0\]\.url/,
    );
    expect(
      await faults(named('x', { settings: { event_subscriptions: { request_url: 'x', bot_events: ['nope'] } } })),
    ).toMatch(/request_url.*bot_events/);
  });

  it('receive clicks on their messages: signed, with the stored message', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    const far = await receiver((_, reply) => void reply.end('{"seen":true}'));
    const made = await make(
      person,
      named('clicky', {
        oauth_config: { scopes: { bot: ['chat:write', 'chat:write.public'] } },
        settings: { interactivity: { request_url: far.url } },
      }),
    );
    const post = async (token: string) => {
      const response = await fetch(`${app.baseUrl}/api/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          channel: ws.general.id,
          text: 'x',
          blocks: [
            {
              type: 'section',
              block_id: 'b',
              text: { type: 'mrkdwn', text: 'x' },
              accessory: { type: 'external_select', action_id: 'pick' },
            },
          ],
        }),
      });
      return (await response.json()) as { ts: string };
    };
    const { ts } = await post(made.body.bot_token);
    const click = (body: unknown, headers?: Record<string, string>) =>
      rest(app, 'POST /interactions', { token: person.token, body, ...(headers ? { headers } : {}) });
    const good = {
      channel: { id: ws.general.id },
      container: { message_ts: ts },
      actions: [{ action_id: 'pick', block_id: 'b', selected_option: { value: 'one' } }],
      state: { values: { a: 1 } },
    };

    const answer = await click(good);
    expect(answer.body).toEqual({
      transport: 'http',
      status_code: 200,
      trigger_id: expect.any(String),
      response_url: expect.any(String),
      response: { seen: true },
    });
    const [sent] = far.received;
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const form = new URLSearchParams(sent?.body);
    expect([...form.keys()]).toEqual(['payload']);
    expect(JSON.parse(form.get('payload') ?? '')).toEqual({
      type: 'block_actions',
      user: { id: person.userId, username: expect.any(String), name: expect.any(String), team_id: ws.id },
      api_app_id: made.body.id,
      token: made.body.credentials.verification_token,
      container: { type: 'message', message_ts: ts, channel_id: ws.general.id, is_ephemeral: false },
      trigger_id: answer.body.trigger_id,
      team: { id: ws.id, domain: ws.domain },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: ws.general.id, name: 'general' },
      message: expect.objectContaining({ ts, app_id: made.body.id }),
      state: { values: { a: 1 } },
      response_url: answer.body.response_url,
      actions: [
        {
          type: 'external_select',
          action_id: 'pick',
          block_id: 'b',
          selected_option: { value: 'one' },
          action_ts: expect.stringMatching(/^\d{10}\.\d{6}$/),
        },
      ],
    });
    expect((await click(new URLSearchParams({ payload: JSON.stringify(good) }))).status).toBe(200);

    for (const body of [
      {},
      { ...good, type: 'view_submission' },
      { ...good, actions: [] },
      { ...good, actions: [{}, {}] },
      { ...good, actions: [{}] },
      { ...good, state: 5 },
      { ...good, channel: 5 },
    ]) {
      expect((await click(body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await click({ ...good, channel: 'C0NOTHING00' })).body).toEqual(refusal(404, 'channel_not_found'));
    expect((await click({ ...good, container: { message_ts: '1.000000' } })).body).toEqual(
      refusal(404, 'message_not_found'),
    );
    expect((await click({ ...good, actions: [{ action_id: 'other' }] })).body).toEqual(
      refusal(404, 'action_not_found'),
    );
    const silent = await post((await ws.bot()).token);
    expect((await click({ ...good, container: { message_ts: silent.ts } })).body).toEqual(
      refusal(409, 'no_interactivity_url'),
    );
  });
});
