import { describe, expect, it } from 'vitest';
import { ToolClient } from '../mcp/clients.js';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const app = useApp();

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

const DOCUMENT = {
  id_space: 'own',
  deterministic: true,
  clock: { now: '2026-03-01T09:00:00Z', frozen: true },
  users: [{ name: 'alice', is_admin: true }, 'bob'],
  channels: [{ name: 'ops', members: ['alice', 'bob'], messages: [{ as: 'bob', text: 'hi' }] }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'One' }] }] },
};

const made = async (document: object): Promise<Made> => {
  const { status, body } = await makeSandbox(app, document);
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  return body;
};

const call = async (one: Made, method: string, args: object = {}): Promise<Made> =>
  (await send(app, 'POST', `/api/${method}`, bearer(one.credentials.user_token), args)).body;

const control = (one: Made, method: string, path: string, body?: object): Promise<Made> =>
  send(app, method, `/api/sandboxes/self${path}`, bearer(one.credentials.control_token), body);

const graphql = async (one: Made, query: string): Promise<Made> =>
  (await send(app, 'POST', '/graphql', { authorization: one.credentials.api_key }, { query })).body.data;

const nowOf = async (one: Made): Promise<string> => (await control(one, 'GET', '/clock')).body.now;

describe('a deterministic sandbox', () => {
  it('needs ids of its own and a frozen clock', async () => {
    const refused = async (document: object, path = '/api/sandboxes'): Promise<string[]> => {
      const { status, body } = await send(app, 'POST', path, OPERATOR, document);
      expect(status).toBe(400);
      return body.message;
    };
    expect(await refused({ deterministic: true, clock: { frozen: true } })).toEqual([
      'deterministic: needs id_space: own',
    ]);
    expect(await refused({ deterministic: true, id_space: 'own' })).toEqual(['deterministic: needs a frozen clock']);
    expect(await refused({ deterministic: 'yes' })).toEqual(['deterministic: must be true or false']);
    expect(await refused({ random_seed: 1.5 })).toEqual([expect.stringContaining('random_seed')]);
    const running = await made({ id_space: 'own' });
    const { body: snapshot } = await control(running, 'POST', '/snapshots', {});
    const copy = { from: snapshot.id, deterministic: true };
    expect(await refused(copy)).toEqual(['deterministic: needs id_space: own']);
    expect(await refused({ ...copy, id_space: 'own' })).toEqual(['deterministic: needs a frozen clock']);
    const pool = { name: `p-${crypto.randomUUID().slice(0, 8)}`, from: snapshot.id, size: 1, deterministic: true };
    expect(await refused(pool, '/api/pools')).toEqual(['deterministic: needs a frozen clock']);
    expect(await refused({ ...pool, id_space: 'server' }, '/api/pools')).toEqual(['deterministic needs id_space: own']);
    const one = await made(DOCUMENT);
    expect(one).toMatchObject({ deterministic: true, id_space: 'own', clock: { frozen: true, tick_ms: 0 } });
    expect(await control(one, 'PUT', '/clock', { frozen: false })).toMatchObject({ status: 400 });
    expect(await control(one, 'DELETE', '/clock')).toMatchObject({ status: 400 });
    expect((await made({ ...DOCUMENT, deterministic: false })).deterministic).toBe(false);
  });

  it('gives calls that come together ids in the order in which they take effect', async () => {
    const [first, second] = [await made(DOCUMENT), await made(DOCUMENT)];
    const names = Array.from({ length: 12 }, (_, n) => `c-${n}`);
    const together = await Promise.all(names.map((name) => call(first, 'conversations.create', { name })));
    const ids = together.map(({ channel }) => channel.id as string);
    expect(new Set(ids).size).toBe(names.length);
    // in what order they took effect is what the timeline shows
    const { body } = await control(first, 'GET', '/timeline?kind=call&limit=100');
    const order = body.entries.map(({ args }: Made) => args.name as string) as string[];
    const inOrder: string[] = [];
    for (const name of order) inOrder.push((await call(second, 'conversations.create', { name })).channel.id);
    expect(order.map((name) => ids[names.indexOf(name)])).toEqual(inOrder);
  });

  it('starts again after a reset, timestamps and numbers of changes included, and cuts its sockets', async () => {
    const one = await made(DOCUMENT);
    const journey = async (): Promise<string> => {
      const posted = await call(one, 'chat.postMessage', { channel: one.credentials.channels.ops, text: 'again' });
      const created = await graphql(
        one,
        `mutation { issueCreate(input: { teamId: "${one.credentials.teams.ENG.id}", title: "New" }) { lastSyncId issue { id } } }`,
      );
      return JSON.stringify([posted, created]);
    };
    const before = await journey();
    await control(one, 'POST', '/reset', {});
    expect(await journey()).toBe(before);
    const { body: snapshot } = await control(one, 'POST', '/snapshots', {});
    const after = await journey();
    expect(after).not.toBe(before);
    await control(one, 'POST', '/reset', { to: snapshot.id });
    expect(await journey()).toBe(after);
  });
});

describe('clock.tick_ms', () => {
  it('moves the clock after each answered call of an app, a person or a key', async () => {
    const one = await made({
      ...DOCUMENT,
      deterministic: false,
      id_space: 'server',
      clock: { ...DOCUMENT.clock, tick_ms: 1_500 },
    });
    expect(one.clock).toMatchObject({ frozen: true, tick_ms: 1_500, now: '2026-03-01T09:00:00.000Z' });
    const { ts } = await call(one, 'chat.postMessage', { channel: one.credentials.channels.ops, text: 'now' });
    expect(ts).toMatch(/^1772355600\./);
    expect(await nowOf(one)).toBe('2026-03-01T09:00:01.500Z');
    await call(one, 'users.list');
    await graphql(one, '{ viewer { id } }');
    await call(one, 'chat.postMessage', { channel: 'C0NOTHERE01', text: 'refused, and answered' });
    expect(await nowOf(one)).toBe('2026-03-01T09:00:06.000Z');
    await send(app, 'POST', '/api/chat.postMessage', bearer('xoxb-nobody'), {});
    await control(one, 'GET', '/timeline');
    expect(await nowOf(one)).toBe('2026-03-01T09:00:06.000Z');
  });

  it('does not move the clock for a list of tools, which is no call', async () => {
    const one = await made({ ...DOCUMENT, clock: { ...DOCUMENT.clock, tick_ms: 1_000 } });
    for (const [name, credential] of [
      ['chat', one.credentials.bot_token],
      ['issues', one.credentials.api_key],
    ] as const) {
      const { tools } = await ToolClient.http(app, name, credential);
      expect(tools.length).toBeGreaterThan(5);
    }
    expect(await nowOf(one)).toBe('2026-03-01T09:00:00.000Z');
  });

  it('stops where something is due', async () => {
    const one = await made({ ...DOCUMENT, clock: { ...DOCUMENT.clock, tick_ms: 60_000 } });
    const channel = one.credentials.channels.ops;
    const at = Date.parse('2026-03-01T09:01:30Z') / 1000;
    await call(one, 'chat.scheduleMessage', { channel, text: 'due', post_at: at });
    await call(one, 'auth.test');
    const { messages } = await call(one, 'conversations.history', { channel, limit: 1 });
    expect(messages[0]).toMatchObject({ text: 'due', ts: expect.stringMatching(new RegExp(`^${at}\\.`)) });
  });

  it('is taken by PUT clock, while the clock is frozen, and by no other', async () => {
    const one = await made({ ...DOCUMENT, id_space: 'server', deterministic: false });
    expect((await control(one, 'PUT', '/clock', { tick_ms: 10 })).body).toMatchObject({ tick_ms: 10, frozen: true });
    await call(one, 'auth.test');
    expect(await nowOf(one)).toBe('2026-03-01T09:00:00.010Z');
    for (const tick_ms of [-1, 1.5, 86_400_001, '5']) {
      expect((await control(one, 'PUT', '/clock', { tick_ms })).status).toBe(400);
    }
    expect((await control(one, 'PUT', '/clock', { frozen: false, tick_ms: 5 })).status).toBe(400);
    expect((await control(one, 'PUT', '/clock', { frozen: false })).body).toMatchObject({ tick_ms: 0, frozen: false });
    const refused = await send(app, 'POST', '/api/sandboxes', OPERATOR, { clock: { tick_ms: 5 } });
    expect(refused).toMatchObject({ status: 400, body: { message: ['clock.tick_ms: needs a frozen clock'] } });
  });

  it('is exported, kept by snapshots and copies, and put back by a reset', async () => {
    const document = { ...DOCUMENT, random_seed: 7, clock: { ...DOCUMENT.clock, tick_ms: 250 } };
    const one = await made(document);
    const { body: exported } = await control(one, 'GET', '/seed');
    expect(exported).toMatchObject({
      id_space: 'own',
      deterministic: true,
      random_seed: 7,
      clock: { frozen: true, tick_ms: 250 },
    });
    expect(await made({ ...exported, name: undefined })).toMatchObject({
      deterministic: true,
      clock: { tick_ms: 250 },
    });
    const { body: snapshot } = await control(one, 'POST', '/snapshots', {});
    await control(one, 'PUT', '/clock', { tick_ms: 0 });
    expect(await made({ from: snapshot.id, id_space: 'own', deterministic: true })).toMatchObject({
      deterministic: true,
      clock: { tick_ms: 250 },
    });
    await control(one, 'POST', '/reset', {});
    expect((await control(one, 'GET', '/clock')).body.tick_ms).toBe(250);
  });
});
