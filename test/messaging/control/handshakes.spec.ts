import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unknownSettings } from '../../../src/kernel/config/unknown-settings.js';
import { Db } from '../../../src/kernel/database/db.js';
import { Log } from '../../../src/kernel/log/log.js';
import { TestApp, useApp } from '../../support/app.js';
import { closeReceivers, eventually, receiver } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';
import { unique } from '../../support/unique.js';

/** docs/reference/events.md#handshake */
describe('a subscription whose app starts to listen later', () => {
  const app = useApp();
  closeReceivers();

  it('is verified when the list is read with verify=true, or on request', async () => {
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
    const answer = await rest(app, `POST /events/subscriptions/${one.id}/verify`, { token });
    expect(answer).toMatchObject({ status: 200, body: { id: one.id, verified: true } });
    expect(await verified()).toEqual({ [one.id]: true, [two.id]: false });
    expect(await verified('?verify=true')).toEqual({ [one.id]: true, [two.id]: true });
    // the app's own tokens may request it, those of another app may not
    const bot = await ws.bot();
    const own = (await rest(app, 'POST /events/subscribe', { token: bot.token, body: { request_url: `${far.url}/x` } }))
      .body;
    expect((await rest(app, `POST /events/subscriptions/${own.id}/verify`, { token: bot.token })).status).toBe(200);
    const another = await rest(app, `POST /events/subscriptions/${own.id}/verify`, { token: (await ws.bot()).token });
    expect(another.body).toEqual(refusal(403, 'not_admin'));
    const outsider = await ws.jwtClient();
    const refused = await rest(app, `POST /events/subscriptions/${one.id}/verify`, { token: outsider.token });
    expect(refused.body).toEqual(refusal(403, 'not_admin'));
  });

  it('is not verified when a changed manifest moves the app to Socket Mode', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver();
    const manifest = (settings: object): object => ({
      display_information: { name: unique('app') },
      settings: { event_subscriptions: { request_url: far.url, bot_events: ['app_mention'] }, ...settings },
    });
    const made = (await rest(app, 'POST /apps', { token, body: { manifest: manifest({}) } })).body;
    expect(far.received).toHaveLength(1);
    const put = (settings: object) =>
      rest(app, `PUT /apps/${made.id}/manifest`, { token, body: { manifest: manifest(settings) } });
    expect((await put({ socket_mode_enabled: true })).status).toBe(200);
    expect(far.received).toHaveLength(1);
    expect((await rest(app, 'GET /events/subscriptions', { token })).body.subscriptions).toEqual([]);
    expect((await put({})).status).toBe(200);
    expect(far.received).toHaveLength(2);
  });

  it('runs one handshake at a time, however many calls read the list', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver((_, reply) => void reply.writeHead(503).end());
    await rest(app, 'POST /events/subscribe', { token, body: { request_url: far.url } });
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    far.answer = (_, reply) => void answered.then(() => reply.writeHead(503).end());
    const list = () => rest(app, 'GET /events/subscriptions?verify=true', { token });
    const db = app.nest.get(Db);
    const read = db.read.bind(db);
    let looked = 0;
    const reads = vi.spyOn(db, 'read').mockImplementation(async (asked, values) => {
      const rows = await read(asked, values);
      if (asked.name === 'chat_unverified_targets') looked++;
      return rows as never[];
    });
    const lists = [list()];
    await far.until(({ length }) => length === 2);
    for (let i = 0; i < 10; i++) lists.push(list());
    await eventually(() => looked === 11, 'all have looked what is to be asked');
    reads.mockRestore();
    answer();
    expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(11).fill(200));
    expect(far.received).toHaveLength(2);
  });

  it('logs each failed handshake with the subscription, its origin, reason and attempt', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver((_, reply) => void reply.writeHead(503).end());
    const said = vi.spyOn(app.nest.get(Log), 'info');
    try {
      const { id } = (await rest(app, 'POST /events/subscribe', { token, body: { request_url: far.url } })).body;
      await rest(app, 'GET /events/subscriptions?verify=true', { token });
      const { origin } = new URL(far.url);
      const failed = { target: id as string, origin, reason: 'http_client_error', attempt: 1 };
      const line = ['handshake failed', failed];
      expect(said.mock.calls.filter(([, facts]) => (facts as { origin?: string }).origin === origin)).toEqual([
        line,
        line,
      ]);
    } finally {
      said.mockRestore();
    }
  });

  it('is tried again automatically after five seconds', async () => {
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
describe('the bot of an app that is created from a manifest', () => {
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

  it('list only the sandboxes that they created', async () => {
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
    // acting in a sandbox and copying it require that it is visible
    const action = { team_id: made.team_id, as: 'admin', channel: 'general', text: 'x' };
    expect((await send(BOB, 'POST', '/act/message', action)).body).toEqual(refusal(404, 'team_not_found'));
    expect((await send(ANN, 'POST', '/act/message', action)).status).toBe(200);
    const taken = await send(ANN, 'POST', `${path}/snapshots`, { name: 'ready' });
    expect(taken.status).toBe(201);
    const copied = await send(ANN, 'POST', '/sandboxes', { from: taken.body.id });
    expect((await send(ANN, 'GET', `/sandboxes/${copied.body.id}`)).body.owner).toBe('ann');
    expect((await send(BOB, 'GET', `/sandboxes/${copied.body.id}`)).status).toBe(404);
    expect((await send(BOB, 'POST', '/sandboxes', { from: taken.body.id })).status).toBe(404);
    const owner = await send(BOB, 'POST', '/sandboxes', { owner: 'ann' });
    expect((await send(BOB, 'GET', `/sandboxes/${owner.body.id}`)).body.owner).toBe('bob');
  });
});

describe('unknown settings', () => {
  it('are reported with the nearest known name, and never with their value', () => {
    const warnings = unknownSettings({
      SVC_JWT_SECRT: 'hidden',
      SVC_WHAT_EVER: 'hidden',
      DATABASE_ULR: 'hidden',
      PATH: '/bin',
    });
    expect(warnings).toEqual([
      'SVC_JWT_SECRT is no setting: did you mean SVC_JWT_SECRET?',
      'SVC_WHAT_EVER is no setting',
      'DATABASE_ULR is no setting: did you mean DATABASE_URL?',
    ]);
  });
});
