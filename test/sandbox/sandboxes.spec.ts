import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHex } from '../../src/kernel/ids/ids.js';
import { Sandbox } from '../../src/kernel/sandbox/sandbox.entity.js';
import { Sandboxes } from '../../src/sandbox/sandboxes/sandboxes.service.js';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { changeRows } from '../support/rows.js';
import { OPERATOR, send as sendTo, type Answer, type Call } from '../support/sandbox-routes.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

const NAMED = { 'x-admin-token': 'the-token-of-team-blue' };
const OTHER = { 'x-admin-token': 'the-token-of-team-green' };

/** docs/reference/sandboxes.md#sandboxes */
describe('a sandbox', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({
      SVC_ADMIN_TOKENS: 'blue:the-token-of-team-blue,green:the-token-of-team-green',
    });
    await app.nest.get(FirstStart, { strict: false }).ensure();
  });
  afterAll(() => app.stop());

  const send = (...call: Call): Promise<Answer> => sendTo(app, ...call);
  const make = async (document: object = {}, as = OPERATOR): Promise<Any> => {
    const { status, body } = await send('POST', '/api/sandboxes', as, { users: [{ name: 'alice' }], ...document });
    expect(status, JSON.stringify(body)).toBe(201);
    const ctl = { 'x-sandbox-token': body.credentials.control_token as string };
    const call = (method: string, path: string, sent?: unknown, as_ = ctl): Promise<Answer> =>
      send(method, `/api/sandboxes/self${path}`, as_, sent);
    return { ...body, ctl, call, remove: () => send('DELETE', `/api/sandboxes/${body.id}`, as) };
  };

  it('can be changed in each of its fields, within their bounds', async () => {
    const { call, remove } = await make();
    const changed = await call('PATCH', '', {
      name: 'n'.repeat(80),
      labels: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a.b/c_d-${i}`, 'v'.repeat(255)])),
      ttl_seconds: null,
      journal: false,
      methods: 'core',
      rate_limit_multiplier: 0,
      missing_scope_status: 403,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        name: 'n'.repeat(80),
        expires_at: null,
        journal: false,
        methods: 'core',
        rate_limit_multiplier: 0,
        missing_scope_status: 403,
      },
    });
    expect(Object.keys(changed.body.labels)).toHaveLength(20);
    const ended = await call('PATCH', '', { ttl_seconds: 60 });
    expect(ended.body.expires_at - Date.now() / 1000).toBeLessThanOrEqual(61);
    expect(ended.body.name).toBe('n'.repeat(80));
    for (const [bad, path] of [
      [{ name: '' }, 'name'],
      [{ name: 'n'.repeat(81) }, 'name'],
      [{ labels: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`l${i}`, ''])) }, 'labels'],
      [{ labels: { 'a b': 'c' } }, 'labels.a b'],
      [{ labels: { [`${'k'.repeat(64)}`]: 'c' } }, 'labels.k'],
      [{ labels: { a: 'v'.repeat(256) } }, 'labels.a'],
      [{ labels: { a: 1 } }, 'labels.a'],
      [{ ttl_seconds: 59 }, 'ttl_seconds'],
      [{ ttl_seconds: 2_592_001 }, 'ttl_seconds'],
      [{ journal: 'yes' }, 'journal'],
      [{ methods: 'some' }, 'methods'],
      [{ rate_limit_multiplier: -1 }, 'rate_limit_multiplier'],
      [{ missing_scope_status: 418 }, 'missing_scope_status'],
    ] as const) {
      const refused = await call('PATCH', '', bad);
      expect([refused.status, String(refused.body.message).startsWith(path)], JSON.stringify(bad)).toEqual([400, true]);
    }
    await remove();
  });

  it('answers a missing scope with the configured status, and serves the configured methods', async () => {
    const { call, credentials, remove } = await make({ apps: [{ name: 'small', scopes: { bot: ['chat:write'] } }] });
    const as = { authorization: `Bearer ${credentials.apps.small.bot_token}` };
    const list = (): Promise<Answer> => send('POST', '/api/users.list', as, {});
    for (const status of [200, 403]) {
      await call('PATCH', '', { missing_scope_status: status });
      expect(await list()).toMatchObject({ status, body: { error: 'missing_scope' } });
    }
    await call('PATCH', '', { methods: 'core' });
    expect((await send('POST', '/api/pins.list', as, { channel: 'C1' })).body.error).toBe('unknown_method');
    await call('PATCH', '', { methods: 'all' });
    expect((await send('POST', '/api/pins.list', as, { channel: 'C1' })).body.error).not.toBe('unknown_method');
    await remove();
  });

  it('reports its last call and what it holds; after its deletion its routes answer sandbox_not_found', async () => {
    const { id, call, credentials, remove } = await make();
    expect((await call('GET', '')).body).toMatchObject({
      last_call_at: null,
      snapshots: 0,
      faults: 0,
      delivery_rules: 0,
    });
    const bot = { authorization: `Bearer ${credentials.bot_token}` };
    expect((await send('POST', '/api/auth.test', bot, {})).body.ok).toBe(true);
    const { last_call_at: at } = (await call('GET', '')).body;
    expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(12);
    await call('POST', '/snapshots', {});
    await call('POST', '/faults', { on: { method: 'pins.add' }, fault: { type: 'drop' } });
    await call('POST', '/delivery-rules', { do: { type: 'hold' } });
    expect((await call('GET', '')).body).toMatchObject({ snapshots: 1, faults: 1, delivery_rules: 1 });
    expect((await remove()).body).toEqual({ success: true });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/reset'],
      ['DELETE', ''],
    ] as const) {
      const answer = await send(method, `/api/sandboxes/${id}${path}`, OPERATOR, method === 'POST' ? {} : undefined);
      expect([path, answer.status, answer.body.message]).toEqual([path, 404, 'sandbox_not_found']);
    }
  });

  it('is listed by label and name, in pages', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map((name) => make({ name, labels: { suite: 'list', n: name } })));
    const list = async (query: string): Promise<Any> => (await send('GET', `/api/sandboxes?${query}`, OPERATOR)).body;
    const names = ({ sandboxes }: Any): string[] => sandboxes.map(({ name }: Any) => name as string).toSorted();
    expect(names(await list('label=suite:list'))).toEqual(['a', 'b', 'c']);
    expect(names(await list('label=n:b'))).toEqual(['b']);
    expect(names(await list('name=c'))).toEqual(['c']);
    const first = await list('label=suite:list&limit=2');
    expect(first.sandboxes).toHaveLength(2);
    const rest = await list(`label=suite:list&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    expect([rest.sandboxes.length, rest.next_cursor]).toEqual([1, '']);
    expect(JSON.stringify(first)).not.toContain('svc_sbx_');
    for (const bad of ['limit=0', 'cursor=x', 'label=x', 'label=n:a&label=n:b', 'name=a&name=b']) {
      expect((await send('GET', `/api/sandboxes?${bad}`, OPERATOR)).status, bad).toBe(400);
    }
    await Promise.all(made.map(({ remove }) => remove()));
  });

  it('is visible only to the named operator token that created it', async () => {
    const suite = `of-${newHex(8)}`;
    const mine = await make({ labels: { owner: 'green', suite } }, NAMED);
    expect(mine.owner).toBe('blue');
    for (const [as, status] of [
      [NAMED, 200],
      [OTHER, 404],
      [OPERATOR, 200],
    ] as const) {
      expect((await send('GET', `/api/sandboxes/${mine.id}`, as)).status).toBe(status);
      const { sandboxes } = (await send('GET', `/api/sandboxes?label=suite:${suite}`, as)).body;
      expect(sandboxes.some(({ id }: Any) => id === mine.id)).toBe(status === 200);
    }
    expect(await send('DELETE', `/api/sandboxes/${mine.id}`, OTHER)).toMatchObject({
      status: 404,
      body: { message: 'sandbox_not_found' },
    });
    expect((await send('GET', '/api/sandboxes/default', NAMED)).status).toBe(404);
    expect((await send('GET', '/api/sandboxes/default', OPERATOR)).status).toBe(200);
    await mine.remove();
  });

  it('has one control token, valid for nothing else; a new one revokes the old one and the tokens issued with it', async () => {
    const [one, other] = [await make(), await make()];
    const whole = { status: 404, body: { statusCode: 404, message: 'sandbox_not_found', error: 'Not Found' } };
    expect(await send('GET', `/api/sandboxes/${other.id}`, one.ctl)).toEqual(whole);
    expect(await send('GET', '/api/sandboxes/Sb0NOTTHERE0', one.ctl)).toEqual(whole);
    expect((await send('GET', '/api/sandboxes', one.ctl)).body.message).toBe('not_admin');
    const bearer = { authorization: `Bearer ${one.credentials.control_token}` };
    expect((await send('GET', '/api/sandboxes/self', bearer)).body.id).toBe(one.id);
    expect((await send('POST', '/api/auth.test', bearer, {})).body.error).toBe('invalid_auth');
    expect((await send('GET', '/api/apps', bearer)).body.message).toBe('invalid_auth');
    const gql = await send('POST', '/graphql', bearer, { query: '{ viewer { id } }' });
    expect(gql.status).toBe(401);
    // with several credentials, the first in this order counts
    expect((await send('GET', '/api/sandboxes/self', { ...other.ctl, ...bearer })).body.id).toBe(other.id);
    expect((await send('GET', `/api/sandboxes/${one.id}`, { ...OPERATOR, ...other.ctl })).body.id).toBe(one.id);
    const token = (await one.call('POST', '/act-as', { user: 'alice' })).body.access_token as string;
    const alice = { authorization: `Bearer ${token}` };
    expect((await send('POST', '/api/auth.test', alice, {})).body.ok).toBe(true);
    const renewed = await one.call('POST', '/control-token');
    expect(renewed).toMatchObject({
      status: 201,
      body: { control_token: expect.stringMatching(/^svc_sbx_[A-Za-z0-9]{40}$/) },
    });
    expect((await one.call('GET', '')).status).toBe(401);
    expect((await send('POST', '/api/auth.test', alice, {})).body.ok).toBe(false);
    expect((await one.call('GET', '', undefined, { 'x-sandbox-token': renewed.body.control_token })).status).toBe(200);
    await Promise.all([one, other].map(({ remove }) => remove()));
  });

  it('issues tokens of its users bound to it, and records who acts', async () => {
    const {
      call,
      credentials,
      team_id: team,
      remove,
    } = await make({
      users: [{ name: 'alice' }, { name: 'root', is_admin: true }],
    });
    const acted = await call('POST', '/act-as', { user: '@alice' });
    expect(acted).toMatchObject({ status: 201, body: { expires_in: 3600, user: { name: 'alice' } } });
    const alice = { authorization: `Bearer ${acted.body.access_token}` };
    const other = await send('POST', '/api/auth.test', alice, { team_id: 'T0000000000' });
    expect(other.body.error).toBe('team_access_not_granted');
    expect((await send('POST', '/api/workspaces', alice, { name: 'mine', domain: 'mine-own' })).body.message).toBe(
      'not_allowed_token_type',
    );
    await send('POST', '/api/chat.postMessage', alice, { channel: 'general', text: 'as alice', team_id: team });
    const viewed = await send('POST', '/graphql', alice, { query: '{ viewer { name } }' });
    expect(viewed.body.data.viewer.name).toBe('alice');
    const { entries } = (await call('GET', '/timeline?kind=call&user=alice')).body;
    expect(entries.map(({ product, acted_by: by }: Any) => [product, by])).toEqual(
      expect.arrayContaining([
        ['chat', 'control_token'],
        ['tracker', 'control_token'],
      ]),
    );
    for (const [user, status, message] of [
      ['nobody', 404, 'user_not_found'],
      ['default-app', 400, 'cannot_act_as_bot'],
      [1, 400, undefined],
    ] as const) {
      const refused = await call('POST', '/act-as', { user });
      expect(refused.status).toBe(status);
      if (message !== undefined) expect(refused.body.message).toBe(message);
    }
    const root = { authorization: `Bearer ${credentials.users.root.access_token}` };
    const byRoot = (user: string): Promise<Any> => send('POST', '/api/sandboxes/self/act-as', root, { user });
    expect((await byRoot('alice')).status).toBe(201);
    // nobody may act as its primary owner, and only the owner may delete it
    expect(await byRoot(credentials.admin.user_id)).toMatchObject({ status: 403, body: { message: 'not_admin' } });
    expect(await send('DELETE', '/api/sandboxes/self', root)).toMatchObject({
      status: 403,
      body: { message: 'not_admin' },
    });
    for (const token of [credentials.users.alice.access_token, credentials.bot_token]) {
      expect((await send('GET', '/api/sandboxes/self', { authorization: `Bearer ${token}` })).status).toBe(403);
    }
    const ownApp = { authorization: `Bearer ${credentials.user_token}` };
    expect((await send('POST', '/api/sandboxes/self/act-as', ownApp, { user: 'alice' })).body.message).toBe(
      'not_allowed_token_type',
    );
    await remove();
  });

  it('is removed once when its time to live ends, and its credentials are revoked', async () => {
    const { id, credentials, ctl } = await make({ ttl_seconds: 60 });
    await changeRows(app.store, Sandbox, { id }, { expiresAt: new Date(Date.now() - 1_000) });
    const sandboxes = app.nest.get(Sandboxes, { strict: false });
    await Promise.all([sandboxes.sweep(), sandboxes.sweep()]);
    expect((await send('GET', `/api/sandboxes/${id}`, OPERATOR)).status).toBe(404);
    expect(await send('GET', '/api/sandboxes/self', ctl)).toMatchObject({
      status: 401,
      body: { message: 'account_inactive' },
    });
    const bot = { authorization: `Bearer ${credentials.bot_token}` };
    expect((await send('POST', '/api/auth.test', bot, {})).body.error).toBe('account_inactive');
    const kept = await send('GET', '/api/sandboxes/default', OPERATOR);
    expect(kept.body).toMatchObject({ expires_at: null });
    expect((await send('DELETE', '/api/sandboxes/default', OPERATOR)).body.message).toBe(
      'cant_delete_default_workspace',
    );
    expect((await send('PATCH', '/api/sandboxes/default', OPERATOR, { ttl_seconds: 60 })).status).toBe(400);
  });
});
