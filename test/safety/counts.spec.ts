import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { refusal, rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

/** docs/reference/limits.md#counts */
describe('limits on what can be created', () => {
  let app: TestApp;
  beforeAll(async () => {
    const names = ['SUBSCRIPTIONS', 'OUTGOING_WEBHOOKS', 'INCOMING_WEBHOOKS', 'WORKSPACES', 'ORGANIZATIONS'];
    app = await TestApp.start(Object.fromEntries(names.map((name) => [`SVC_MAX_${name}`, '2'])));
  });
  afterAll(() => app.stop());

  it('refuse each kind with too_many_…, and leave nothing of what was refused', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    // the admin has already created a workspace
    const member = (await ws.jwtClient()).token;
    const url = (n: number): string => `http://127.0.0.1:1/${n}`;
    const kinds: readonly [string, (n: number) => object, string, string?][] = [
      ['POST /events/subscribe', (n) => ({ request_url: url(n) }), 'too_many_subscriptions'],
      ['POST /webhooks/outgoing', (n) => ({ url: url(n), events: ['message'] }), 'too_many_outgoing_webhooks'],
      ['POST /webhooks/incoming', () => ({ channel: ws.general.id }), 'too_many_incoming_webhooks'],
      ['POST /workspaces', () => ({ name: unique('Another') }), 'too_many_workspaces', member],
    ];
    for (const [route, body, code, by = token] of kinds) {
      for (let n = 0; n < 2; n++) {
        const made = await rest(app, route, { token: by, body: body(n) });
        expect(made.status, `${route} ${n}: ${made.text}`).toBe(201);
      }
      expect((await rest(app, route, { token: by, body: body(2) })).body, route).toEqual(refusal(409, code));
    }
    // its answers have ids that the chat half does not know
    const organization = () =>
      fetch(`${app.baseUrl}/api/organization`, {
        method: 'POST',
        headers: { authorization: `Bearer ${member}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Another', urlKey: unique('org').slice(0, 32) }),
      });
    for (let n = 0; n < 2; n++) expect((await organization()).status).toBe(201);
    expect(await (await organization()).json()).toEqual(refusal(409, 'too_many_organizations'));
    const { subscriptions } = (await rest(app, 'GET /events/subscriptions', { token })).body;
    expect(subscriptions).toHaveLength(2);
  });

  it('apply to documents: too_many_… with the path, and nothing of the document is created', async () => {
    const headers = { 'x-admin-token': app.settings.adminToken as string, 'content-type': 'application/json' };
    const post = async (path: string, body: object, by: object = headers) => {
      const init = { method: 'POST', headers: { ...headers, ...by }, body: JSON.stringify(body) };
      const answer = await fetch(`${app.baseUrl}/api/sandboxes${path}`, init);
      return { status: answer.status, body: (await answer.json()) as Record<string, any> };
    };
    const many = (count: number, one: (n: number) => object): object[] =>
      Array.from({ length: count }, (_, n) => one(n));
    const url = (n: number): string => `http://127.0.0.1:1/${n}`;
    const apps = [{ name: 'hooks' }];
    const documents: readonly [object, string, string][] = [
      [{ outgoing_webhooks: many(3, (n) => ({ url: url(n) })) }, 'too_many_outgoing_webhooks', 'outgoing_webhooks'],
      [
        { apps, incoming_webhooks: many(3, () => ({ app: 'hooks', channel: 'general' })) },
        'too_many_incoming_webhooks',
        'incoming_webhooks',
      ],
      [
        {
          apps: many(3, (n) => ({
            name: `app-${n}`,
            event_subscriptions: { request_url: url(n), events: ['message'] },
          })),
        },
        'too_many_subscriptions',
        'apps',
      ],
      [{ apps: many(101, (n) => ({ name: `app-${n}` })) }, 'too_many_apps', 'apps'],
      [
        { apps: [{ name: 'many', commands: many(201, (n) => ({ command: `/c${n}`, url: url(n) })) }] },
        'too_many_commands',
        'apps',
      ],
    ];
    const made = await post('', {});
    const ctl = { 'x-sandbox-token': String(made.body['credentials'].control_token) };
    for (const [document, message, path] of documents) {
      expect((await post('', document)).body).toEqual({ ...refusal(409, message), path });
      expect((await post('/self/seed', document, { 'x-admin-token': '', ...ctl })).body).toMatchObject({
        message,
        path,
      });
    }
    const whole = await fetch(`${app.baseUrl}/api/sandboxes/self/changes`, { headers: ctl });
    expect(await whole.json()).toMatchObject({ counts: { added: {}, changed: {}, removed: {} } });
  });

  it('do not count the default app, which cannot be deleted: cant_delete_default_app', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const refused = await rest(app, `DELETE /apps/${ws.defaultApp.id}`, { token });
    expect(refused.body).toEqual(refusal(409, 'cant_delete_default_app'));
  });
});
