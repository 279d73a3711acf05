import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { refusal, rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

/** docs/reference/limits.md#counts */
describe('what can be made without end', () => {
  let app: TestApp;
  beforeAll(async () => {
    const names = ['SUBSCRIPTIONS', 'OUTGOING_WEBHOOKS', 'INCOMING_WEBHOOKS', 'WORKSPACES', 'ORGANIZATIONS'];
    app = await TestApp.start(Object.fromEntries(names.map((name) => [`SVC_MAX_${name}`, '2'])));
  });
  afterAll(() => app.stop());

  it('has a bound for each kind: too_many_…, and nothing of what was refused is there', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    // the admin has made a workspace already
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
    // its answers have ids that the chat half has not
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

  it('bounds what a seed document makes as well: 409 with its path', async () => {
    const apps = [{ name: 'relay', scopes: { bot: ['chat:write'] } }];
    const hooks = Array.from({ length: 3 }, (_, n) => ({ app: 'relay', channel: 'general', name: `hook ${n}` }));
    const targets = Array.from({ length: 3 }, (_, n) => ({ url: `http://127.0.0.1:1/${n}`, events: ['message'] }));
    for (const [path, document] of [
      ['incoming_webhooks', { apps, incoming_webhooks: hooks }],
      ['outgoing_webhooks', { outgoing_webhooks: targets }],
    ] as const) {
      const refused = await rest(app, 'POST /sandboxes', {
        headers: { 'x-admin-token': 'operator-of-the-tests' },
        body: document,
      });
      expect(refused.body).toMatchObject({ statusCode: 409, message: `too_many_${path}`, path });
    }
  });

  it('the default app is not deleted: cant_delete_default_app', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const refused = await rest(app, `DELETE /apps/${ws.defaultApp.id}`, { token });
    expect(refused.body).toEqual(refusal(409, 'cant_delete_default_app'));
  });
});
