import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unknownSettings } from '../../../src/kernel/config/unknown-settings.js';
import { TestApp, useApp } from '../../support/app.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';
import { unique } from '../../support/unique.js';

/** docs/reference/events.md#handshake */
describe('a subscription whose app serves only later', () => {
  const app = useApp();
  closeReceivers();

  it('is verified when the list is asked with verify=true, or when it is told to be', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    let serves = false;
    const far = await receiver((request, reply) => {
      reply.statusCode = serves ? 200 : 503;
      reply.end(serves ? (JSON.parse(request.body) as { challenge: string }).challenge : '');
    });
    const subscribe = async (path: string) =>
      (await rest(app, 'POST /events/subscribe', { token, body: { request_url: far.url.replace('hook', path) } })).body;
    const [one, two] = [await subscribe('one'), await subscribe('two')];
    expect([one.verified, two.verified]).toEqual([false, false]);
    const verified = async (query = ''): Promise<Record<string, boolean>> => {
      const { body } = await rest(app, `GET /events/subscriptions${query}`, { token });
      const rows = body.subscriptions as { id: string; verified: boolean }[];
      return Object.fromEntries(rows.map((row) => [row.id, row.verified]));
    };
    expect(await verified('?verify=true')).toEqual({ [one.id]: false, [two.id]: false });

    serves = true;
    const told = await rest(app, `POST /events/subscriptions/${one.id}/verify`, { token });
    expect(told).toMatchObject({ status: 200, body: { id: one.id, verified: true } });
    expect(await verified()).toEqual({ [one.id]: true, [two.id]: false });
    expect(await verified('?verify=true')).toEqual({ [one.id]: true, [two.id]: true });
    const stranger = await ws.jwtClient();
    const refused = await rest(app, `POST /events/subscriptions/${one.id}/verify`, { token: stranger.token });
    expect(refused.body).toEqual(refusal(403, 'not_admin'));
  });

  it('is asked again by itself after five seconds', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver((request, reply) => {
      const { challenge } = JSON.parse(request.body) as { challenge: string };
      reply.end(far.received.length > 1 ? challenge : 'not yet');
    });
    const body = { request_url: far.url };
    expect((await rest(app, 'POST /events/subscribe', { token, body })).body.verified).toBe(false);
    const asked = await far.until(({ length }) => length === 2);
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(4_500);
    await expect
      .poll(async () => (await rest(app, 'GET /events/subscriptions', { token })).body.subscriptions[0].verified)
      .toBe(true);
  });
});

/** docs/reference/control-plane.md#apps */
describe('the bot of an app that is made from a manifest', () => {
  const app = useApp();

  it('is in no channel until it is invited or joins; the default app is in #general', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const manifest = {
      display_information: { name: unique('app') },
      oauth_config: { scopes: { bot: ['channels:read', 'channels:join'] } },
    };
    const made = (await rest(app, 'POST /apps', { token, body: { manifest } })).body;
    const channels = async (): Promise<string[]> => {
      const answer = await fetch(`${app.baseUrl}/api/users.conversations`, {
        headers: { authorization: `Bearer ${made.bot_token}` },
      });
      return ((await answer.json()) as { channels: { name: string }[] }).channels.map(({ name }) => name);
    };
    expect(await channels()).toEqual([]);
    await fetch(`${app.baseUrl}/api/conversations.join?channel=${ws.general.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.bot_token}` },
    });
    expect(await channels()).toEqual(['general']);
  });
});

/** docs/reference/sandboxes.md#sandboxes */
describe('named admin tokens', () => {
  const ANN = 'the-token-of-the-team-of-ann';
  const BOB = 'the-token-of-the-team-of-bob';
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_ADMIN_TOKENS: `ann:${ANN},bob:${BOB}` });
  });
  afterAll(() => app.stop());
  const send = async (token: string, method: string, path: string, body?: object) => {
    const response = await fetch(`${app.baseUrl}/api${path}`, {
      method,
      headers: { 'x-admin-token': token, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line no-explicit-any
    return { status: response.status, body: (await response.json()) as any };
  };

  it('see the sandboxes that they made, and no others', async () => {
    const suite = unique('suite');
    const made = (await send(ANN, 'POST', '/sandboxes', { labels: { suite } })).body;
    const path = `/sandboxes/${made.id}`;
    expect((await send(ANN, 'GET', path)).body).toMatchObject({ id: made.id, owner: 'ann' });
    expect((await send('operator-of-the-tests', 'GET', path)).status).toBe(200);
    for (const [method, hidden] of [
      ['GET', path],
      ['DELETE', path],
      ['GET', '/sandboxes/default'],
    ] as const) {
      expect((await send(BOB, method, hidden)).status, `${method} ${hidden}`).toBe(404);
    }
    const { sandboxes } = (await send(BOB, 'GET', `/sandboxes?label=${encodeURIComponent(`suite=${suite}`)}`)).body;
    expect(sandboxes ?? []).toEqual([]);
    const refused = await send(BOB, 'POST', '/admin/provision', { users: [{ name: 'x' }] });
    expect(refused.body).toEqual(refusal(403, 'not_admin'));
  });
});

describe('unknown settings', () => {
  it('are told with the nearest name, and never their value', () => {
    const told = unknownSettings({
      SVC_JWT_SECRT: 'hidden',
      SVC_WHAT_EVER: 'hidden',
      DATABASE_ULR: 'hidden',
      PATH: '/bin',
    });
    expect(told).toEqual([
      'SVC_JWT_SECRT is no setting: did you mean SVC_JWT_SECRET?',
      'SVC_WHAT_EVER is no setting',
      'DATABASE_ULR is no setting: did you mean DATABASE_URL?',
    ]);
  });
});
