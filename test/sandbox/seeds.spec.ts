import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, receiver } from '../support/receiver.js';
import { bearer, OPERATOR, send as sendTo, type Answer, type Call } from '../support/sandbox-routes.js';
import { closeSockets, connect } from '../support/socket-app.js';

describe('Seed documents', () => {
  const app = useApp();
  closeReceivers();
  closeSockets();

  const send = (...call: Call): Promise<Answer> => sendTo(app, ...call);
  const token = (prefix: string): string => `${prefix}${crypto.randomUUID()}`;
  const id = (prefix: string): string =>
    `${prefix}0${crypto.randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}`;

  it('are accepted as YAML, without its dangerous features', async () => {
    const made = await send(
      'POST',
      '/api/sandboxes',
      OPERATOR,
      'users:\n  - { name: alice }\nchannels: [{ name: ops }]\n',
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(Object.keys(made.body['credentials'].users)).toEqual(['alice']);
    for (const text of [
      'a: &x 1\nb: *x',
      'name: !!str x',
      'name: a\nname: b',
      '---\nname: a\n---\nname: b',
      'name: [',
    ]) {
      expect((await send('POST', '/api/sandboxes', OPERATOR, text)).status, text).toBe(400);
    }
    expect((await send('POST', '/api/sandboxes', OPERATOR, `name: ${'x'.repeat(2_200_000)}`)).status).toBe(413);
  });

  it('give an app that is made by scopes an app-level token, and hear it over a socket', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      users: ['alice'],
      channels: [{ name: 'ops', members: ['alice', 'short'] }],
      apps: [
        { name: 'short', scopes: { bot: ['channels:history'] } },
        { name: 'long', manifest: { display_information: { name: 'long' } } },
      ],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { apps, users } = made.body['credentials'];
    expect(apps.short.app_token).toMatch(new RegExp(`^xapp-1-${apps.short.app_id}-`));
    expect(apps.long.app_token).toBeNull();
    const socket = await connect(app, apps.short.app_token);
    await socket.hello();
    await send('POST', '/api/chat.postMessage', bearer(users.alice.access_token), { channel: 'ops', text: 'hi' });
    await socket.until(() => socket.of('events_api').length > 0);
    expect(socket.of('events_api')[0]?.['payload'].event).toMatchObject({ type: 'message', text: 'hi' });
    // an export keeps the form, and with it the token of what is made from it
    const { body } = await send('GET', '/api/sandboxes/self/seed', {
      'x-sandbox-token': made.body['credentials'].control_token,
    });
    expect(body['apps']).toContainEqual({ name: 'short', scopes: { bot: ['channels:history'] } });
  });

  it('set ids and tokens, which are then taken', async () => {
    const [appId, userId, channelId, teamId, issueId] = [id('A'), id('U'), id('C'), id('T'), crypto.randomUUID()];
    const document = {
      team: { id: teamId },
      users: [{ name: 'alice', id: userId, user_token: token('xoxp-'), api_key: token('svc_api_') }],
      channels: [{ name: 'ops', id: channelId, members: ['alice', 'fixed'] }],
      apps: [
        {
          name: 'fixed',
          id: appId,
          scopes: { bot: ['chat:write'] },
          bot_token: token('xoxb-'),
          app_token: `xapp-1-${appId}-1-${crypto.randomUUID()}`,
          signing_secret: crypto.randomUUID(),
        },
      ],
      tracker: { teams: [{ key: 'FIX', issues: [{ id: issueId, number: 42, title: 'Fixed' }] }] },
    };
    const made = await send('POST', '/api/sandboxes', OPERATOR, document);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body).toMatchObject({ team_id: teamId, credentials: { channels: { ops: channelId } } });
    expect(made.body['credentials'].apps.fixed).toMatchObject({
      app_id: appId,
      bot_token: document.apps[0]?.bot_token,
      app_token: document.apps[0]?.app_token,
      signing_secret: document.apps[0]?.signing_secret,
    });
    const posted = await send(
      'POST',
      '/api/chat.postMessage',
      { authorization: `Bearer ${document.apps[0]?.bot_token}` },
      {
        channel: channelId,
        text: 'hi',
      },
    );
    expect(posted.body).toMatchObject({ ok: true });
    const viewer = await send(
      'POST',
      '/graphql',
      { authorization: document.users[0]?.api_key as string },
      {
        query: '{ viewer { email } issue(id: "FIX-42") { id } }',
      },
    );
    expect(viewer.body['data'].issue.id).toBe(issueId);

    const again = await send('POST', '/api/sandboxes', OPERATOR, { users: document.users });
    expect(again).toMatchObject({ status: 409, body: { message: 'id_taken', path: 'users[0].id' } });
    const { bot_token } = document.apps[0] as { bot_token: string };
    const stolen = await send('POST', '/api/sandboxes', OPERATOR, { apps: [{ name: 'other', bot_token }] });
    expect(stolen).toMatchObject({ status: 409, body: { message: 'token_taken', path: 'apps[0].bot_token' } });
    expect((await send('POST', '/api/sandboxes', OPERATOR, { team: { id: teamId } })).body['path']).toBe('team.id');
    const other = await send('POST', '/api/sandboxes', OPERATOR, {
      apps: [{ name: 'x', id: id('A'), app_token: `xapp-1-${id('A')}-1-${crypto.randomUUID()}` }],
    });
    expect(other.status).toBe(400);
  });

  it('create webhooks, and projects, cycles, states and webhooks of the tracker', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      users: [{ name: 'alice' }],
      channels: [{ name: 'ops' }],
      apps: [{ name: 'deploy', scopes: { bot: ['chat:write'] } }],
      incoming_webhooks: [{ app: 'deploy', channel: '#ops', ref: 'hook' }],
      outgoing_webhooks: [{ url: 'http://127.0.0.1:9/out', events: ['message'], ref: 'out' }],
      tracker: {
        teams: [
          {
            key: 'ENG',
            states: [{ name: 'QA', type: 'started', color: '#112233' }],
            cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
            issues: [
              { title: 'Child', parent: 'epic', state: 'QA', cycle: 1, project: 'Q1' },
              { title: 'Epic', ref: 'epic' },
            ],
          },
        ],
        projects: [{ name: 'Q1', teams: ['ENG'], lead: 'alice' }],
        webhooks: [{ url: 'http://127.0.0.1:9/linear', resource_types: ['Issue'], team: 'ENG', ref: 'linear' }],
      },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { refs, api_key: key } = made.body['credentials'];
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(refs.hook.url, { method: 'POST', headers, body: '{"text":"hi"}' })).status).toBe(200);
    expect(refs.linear.id).toMatch(/^[0-9a-f-]{36}$/);
    const { body } = await send(
      'POST',
      '/graphql',
      { authorization: key },
      {
        query: `{ issue(id: "ENG-1") { parent { title } state { name } cycle { number } project { name lead { displayName } } }
        webhooks { nodes { url team { key } } } }`,
      },
    );
    expect(body['data']).toEqual({
      issue: {
        parent: { title: 'Epic' },
        state: { name: 'QA' },
        cycle: { number: 1 },
        project: { name: 'Q1', lead: { displayName: 'alice' } },
      },
      webhooks: { nodes: [{ url: 'http://127.0.0.1:9/linear', team: { key: 'ENG' } }] },
    });
  });

  it('are validated as the API does, warn of ignored fields, and extend an existing sandbox', async () => {
    const faulty = await send('POST', '/api/sandboxes', OPERATOR, {
      channels: [{ name: 'ops', messages: [{ as: 'admin', text: 'x', blocks: [{ type: 'nothing' }] }] }],
      incoming_webhooks: [{ app: 'nobody', channel: 'ops' }],
    });
    expect(faulty.status).toBe(400);
    expect(faulty.body['message']).toHaveLength(2);
    const apps = [{ name: 'deploy', scopes: { bot: ['chat:writ'] } }];
    const warned = await send('POST', '/api/sandboxes', OPERATOR, { naem: 'x', apps });
    expect(warned.body['warnings']).toEqual([
      'naem: no such field',
      'apps[0].scopes.bot[0]: no such scope "chat:writ" (chat:write?)',
    ]);
    expect((await send('POST', '/api/sandboxes?strict=true', OPERATOR, { naem: 'x' })).status).toBe(400);
    const pinning = { name: 'pinner', scopes: { bot: ['pins:write'] }, event_subscriptions: { events: ['pin_added'] } };
    const why = 'here (its methods are there with SVC_METHODS=all)';
    const core = await send('POST', '/api/sandboxes', OPERATOR, { methods: 'core', apps: [pinning] });
    expect(core.body['warnings']).toEqual([
      `apps[0].scopes.bot[0]: nothing needs "pins:write" ${why}`,
      `apps[0].event_subscriptions.events[0]: nothing causes "pin_added" ${why}`,
    ]);
    const holder = { 'x-sandbox-token': core.body['credentials'].control_token };
    const added = await send('POST', '/api/sandboxes/self/seed', holder, { apps: [{ ...pinning, name: 'other' }] });
    expect(added.body['warnings']).toEqual(core.body['warnings']);
    const control = { 'x-sandbox-token': warned.body['credentials'].control_token };
    const completed = await send('POST', '/api/sandboxes/self/seed', control, {
      apps: [
        { name: 'deploy', scopes: { bot: ['chat:write'] }, commands: [{ command: '/go', url: 'http://127.0.0.1:9/' }] },
      ],
    });
    expect(completed.status, JSON.stringify(completed.body)).toBe(200);
    expect(completed.body['apps'].deploy.app_id).toBe(warned.body['credentials'].apps.deploy.app_id);
  });

  it('verify request URLs where verify asks for it, for the document or one subscription', async () => {
    const far = await receiver(({ body }, reply) => {
      const { challenge } = JSON.parse(body) as { challenge?: string };
      reply.setHeader('content-type', 'application/json').end(JSON.stringify({ challenge }));
    });
    const subscription = { request_url: far.url, events: ['message'] };
    const verified = async (document: object): Promise<Record<string, boolean>> => {
      const made = await send('POST', '/api/sandboxes', OPERATOR, document);
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      const found: Record<string, boolean> = {};
      for (const [name, { bot_token: token }] of Object.entries<any>(made.body['credentials'].apps)) {
        const { body } = await send('GET', '/api/events/subscriptions', { authorization: `Bearer ${token}` });
        expect(body['subscriptions']).toHaveLength(1);
        found[name] = body['subscriptions'][0].verified;
      }
      return found;
    };
    const app_ = (name: string, more: object = {}) => ({ name, event_subscriptions: { ...subscription, ...more } });
    expect(await verified({ apps: [app_('quiet')] })).toEqual({ quiet: false });
    expect(far.received).toHaveLength(0);
    expect(await verified({ apps: [app_('one', { verify: true }), app_('other')] })).toEqual({
      one: true,
      other: false,
    });
    expect(far.received.map(({ body }) => JSON.parse(body).type as string)).toEqual(['url_verification']);
    expect(await verified({ verify: true, apps: [app_('a'), app_('b')] })).toEqual({ a: true, b: true });
    expect(far.received).toHaveLength(3);
  });

  it('generate the same bulk data with the same random_seed, and take a number in place of a list', async () => {
    const texts = async (more: object): Promise<string[]> => {
      const made = await send('POST', '/api/sandboxes', OPERATOR, {
        users: 3,
        channels: [{ name: 'ops', members: ['user-3'], messages: 20 }],
        ...more,
      });
      expect(made.body['counts']).toMatchObject({ users: 4, messages: 20 });
      const { user_token: token, channels } = made.body['credentials'];
      const as = { authorization: `Bearer ${token}` };
      const { body } = await send('POST', '/api/conversations.history', as, { channel: channels.ops });
      return body['messages'].map(({ text }: { text: string }) => text);
    };
    const first = await texts({});
    expect(await texts({ random_seed: 1 })).toEqual(first);
    expect(await texts({ random_seed: 2 })).not.toEqual(first);
    const bounds = [{ channels: [{ name: 'ops', messages: 50_001 }] }, { channels: [{ name: 'ops', messages: -1 }] }];
    for (const document of bounds) expect((await send('POST', '/api/sandboxes', OPERATOR, document)).status).toBe(400);
  });
});
