import { describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { bearer, idsOf, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';
import { unique } from '../support/unique.js';

const DOCUMENT = {
  team: { name: 'Acme' },
  users: [{ name: 'alice', is_admin: true }, 'bob'],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:history', 'groups:history'] } }],
  channels: [
    {
      name: 'war-room',
      members: ['alice', 'bob', 'deploy-bot'],
      messages: [{ as: 'alice', text: 'deploy please', ref: 'ask' }],
    },
  ],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'war-room', ref: 'hook' }],
  tracker: {
    teams: [{ key: 'ENG', name: 'Engineering', issues: [{ title: 'Fix login', assignee: 'alice', ref: 'login' }] }],
    apps: [{ name: 'triage', redirect_uris: ['http://127.0.0.1:9/back'] }],
  },
};

/** docs/reference/sandboxes.md#pools */
describe('pools', () => {
  const app = useApp();

  const pools = (method: string, path = '', body?: object, on = app): Promise<Answer> =>
    send(on, method, `/api/pools${path}`, OPERATOR, body);
  const claim = (pool: string, more: object = {}, on = app): Promise<Answer> =>
    send(on, 'POST', '/api/sandboxes', OPERATOR, { pool, ...more });

  const snapshotOf = async (ctl: Record<string, string>, on = app): Promise<string> => {
    const taken = await send(on, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'ready' });
    expect(taken.status, JSON.stringify(taken.body)).toBe(201);
    return taken.body.id;
  };
  const makePool = async (more: object, on = app): Promise<string> => {
    const name = unique('pool');
    const made = await pools('POST', '', { name, ...more }, on);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return name;
  };
  /** Waits until what is shown of a pool is this. */
  const shows = (name: string, wanted: Readonly<Record<string, unknown>>, on = app): Promise<void> =>
    eventually(
      async () => {
        const { body } = await pools('GET', `/${name}`, undefined, on);
        return Object.entries(wanted).every(([field, value]) => body[field] === value);
      },
      `${name} is ${JSON.stringify(wanted)}`,
    );
  const full = (name: string, ready: number, on = app): Promise<void> => shows(name, { ready, making: 0 }, on);

  it('keep copies of a snapshot ready, and fill up again what was claimed', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const from = await snapshotOf(ctl);
    const name = unique('pool');
    const made = await pools('POST', '', { name, from, size: 2 });
    expect(made.status).toBe(201);
    const { id, created } = made.body;
    expect(id).toMatch(/^Po0[0-9A-Z]{9}$/);
    const shown = { id, name, from, size: 2, claimed: 0, id_space: 'own', refill: true, created, error: null };
    expect(made.body).toMatchObject(shown);
    await full(name, 2);
    expect((await pools('GET', `/${id}`)).body).toEqual({ ...shown, ready: 2, making: 0 });
    expect((await pools('GET')).body.pools).toContainEqual({ ...shown, ready: 2, making: 0 });

    const first = await claim(name, { name: 'rollout', labels: { step: '1' }, ttl_seconds: 600 });
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    expect(first.body).toMatchObject({ pooled: true, pool: name, name: 'rollout', labels: { step: '1' } });
    expect(first.body.expires_at - first.body.created).toBe(600);
    await shows(name, { ready: 2, claimed: 1 });
    await pools('DELETE', `/${name}`);
  });

  it('hand out sandboxes as copies are: alike, with ids and credentials of their own, and reset to the same', async () => {
    const { body: source, ctl } = await makeSandbox(app, DOCUMENT);
    const from = await snapshotOf(ctl);
    const pool = await makePool({ from, size: 2, id_space: 'server' });
    await full(pool, 2);
    const copied = await send(app, 'POST', '/api/sandboxes', OPERATOR, { from });
    const claimed = await claim(pool);
    const { credentials } = claimed.body;
    const shapeOf = (value: unknown): unknown =>
      value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
        : typeof value;
    expect(shapeOf(credentials)).toEqual(shapeOf(copied.body.credentials));
    expect(claimed.body.counts).toEqual(source.counts);
    const known = idsOf([source, copied.body]);
    expect(known.length).toBeGreaterThan(10);
    expect(idsOf(claimed.body).filter((id) => known.includes(id))).toEqual([]);

    const bot = bearer(credentials.apps['deploy-bot'].bot_token);
    const channel = credentials.channels['war-room'];
    expect((await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'done' })).body.ok).toBe(true);
    const key = { authorization: credentials.api_key };
    const query = { query: '{ issues { nodes { title } } }' };
    const titles = { data: { issues: { nodes: [{ title: 'Fix login' }] } } };
    expect((await send(app, 'POST', '/graphql', key, query)).body).toEqual(titles);
    const login = { email: credentials.admin.email, password: credentials.admin.password };
    expect((await send(app, 'POST', '/api/auth/login', {}, login)).status).toBe(200);
    const { client_id, client_secret } = credentials.tracker_apps.triage;
    const grant = `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}&scope=read`;
    const token = await fetch(`${app.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: grant,
    });
    expect(((await token.json()) as { error?: string }).error).not.toBe('invalid_client');
    const own = { 'x-sandbox-token': credentials.control_token };
    const hashOf = async (headers: Record<string, string>): Promise<string> =>
      (await send(app, 'GET', '/api/sandboxes/self/state', headers)).body.hash;
    const reset = await send(app, 'POST', '/api/sandboxes/self/reset', own, {});
    expect(reset.status).toBe(200);
    expect(await hashOf(own)).toBe(await hashOf(ctl));
    // counted table by table for a snapshot, and known beforehand for a first reset
    const counted = await send(app, 'POST', '/api/sandboxes/self/snapshots', own, {});
    expect(reset.body.rows).toBe(counted.body.rows);
    // what it was given lives on, as it is part of its first state
    expect((await send(app, 'POST', '/api/auth.test', bot)).body.ok).toBe(true);
    await pools('DELETE', `/${pool}`);
  });

  it('hand out equal forks unless they are told otherwise, each for itself', async () => {
    const { body: source, ctl } = await makeSandbox(app, DOCUMENT);
    const pool = await makePool({ from: await snapshotOf(ctl), size: 2, refill: false });
    await full(pool, 2);
    // the third is made at once, from the pool's own copy
    const forks = [await claim(pool), await claim(pool), await claim(pool)];
    expect(forks.map(({ body }) => body.pooled)).toEqual([true, true, false]);
    const channel = source.credentials.channels['war-room'];
    const answers: string[] = [];
    for (const { body: fork } of forks) {
      expect(fork).toMatchObject({ id_space: 'own', team_id: source.team_id, url_key: source.url_key });
      expect(fork.credentials.channels).toMatchObject(source.credentials.channels);
      expect(fork.credentials.refs.login).toMatchObject(source.credentials.refs.login);
      expect(fork.credentials.admin).toMatchObject({ user_id: source.credentials.admin.user_id, password: null });
      const bot = bearer(fork.credentials.apps['deploy-bot'].bot_token);
      expect((await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'mine' })).body.ok).toBe(true);
      const history = await send(app, 'POST', '/api/conversations.history', bot, { channel });
      // each has its own post alone
      expect(history.body.messages.map(({ text }: { text: string }) => text)).toEqual(['mine', 'deploy please']);
      answers.push(JSON.stringify(history.body.messages.at(-1)));
    }
    expect(new Set(answers).size).toBe(1);
    expect(new Set(forks.map(({ body }) => body.credentials.bot_token)).size).toBe(3);
    expect(new Set(forks.map(({ body }) => body.credentials.api_key)).size).toBe(3);
    await pools('DELETE', `/${pool}`);
  });

  it('hand out sandboxes in which the same calls have the same answers, where they are told to', async () => {
    const clock = { now: '2026-05-01T09:00:00Z', frozen: true, tick_ms: 500 };
    const { ctl } = await makeSandbox(app, { ...DOCUMENT, id_space: 'own', deterministic: true, clock });
    const pool = await makePool({ from: await snapshotOf(ctl), size: 2, deterministic: true, refill: false });
    await full(pool, 2);
    // the third is made for its claim
    const claims = [await claim(pool), await claim(pool), await claim(pool)];
    expect(claims.map(({ body }) => [body.pooled, body.deterministic])).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ]);
    const answers: unknown[] = [];
    for (const { body } of claims) {
      const { bot_token: bot } = body.credentials.apps['deploy-bot'];
      const { 'war-room': channel } = body.credentials.channels;
      const posted = await send(app, 'POST', '/api/chat.postMessage', bearer(bot), { channel, text: 'on it' });
      const query = `mutation { issueCreate(input: { teamId: "${body.credentials.teams.ENG.id}", title: "New" }) {
        lastSyncId issue { id identifier createdAt } } }`;
      const key = { authorization: body.credentials.api_key };
      answers.push([channel, posted.body, (await send(app, 'POST', '/graphql', key, { query })).body]);
    }
    expect(answers[0]).toMatchObject([
      expect.stringMatching(/^C0/),
      { ok: true },
      { data: { issueCreate: { lastSyncId: expect.any(Number) } } },
    ]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    await pools('DELETE', `/${pool}`);
  });

  it('never hand out one sandbox twice, and make what is asked for beyond those that are ready', async () => {
    const { ctl } = await makeSandbox(app, { users: ['alice'] });
    const pool = await makePool({ from: await snapshotOf(ctl), size: 4, refill: false });
    await full(pool, 4);
    const claims = await Promise.all(Array.from({ length: 7 }, () => claim(pool)));
    expect(claims.map(({ status }) => status)).toEqual(Array(7).fill(201));
    expect(claims.filter(({ body }) => body.pooled)).toHaveLength(4);
    expect(new Set(claims.map(({ body }) => body.id)).size).toBe(7);
    expect((await pools('GET', `/${pool}`)).body).toMatchObject({ ready: 0, making: 0, claimed: 7, refill: false });
    await pools('DELETE', `/${pool}`);
  });

  it('keep those that wait out of every list, without an end and with a clock that has not begun', async () => {
    const name = unique('waiting');
    const { ctl } = await makeSandbox(app, {
      name,
      clock: { now: '2026-05-01T09:00:00Z', frozen: true },
      users: ['alice', 'bob'],
      channels: [{ name: 'ops', members: ['alice', 'bob'] }],
      script: [{ name: 'nudge', at: 1, as: 'alice', do: { message: { channel: '#ops', text: 'any news?' } } }],
    });
    const listed = async (): Promise<number> => {
      let count = 0;
      for (let cursor = ''; ;) {
        const page = await send(app, 'GET', `/api/sandboxes?limit=200&cursor=${cursor}`, OPERATOR);
        count += page.body.sandboxes.filter((sandbox: { name: string }) => sandbox.name === name).length;
        cursor = encodeURIComponent(page.body.next_cursor);
        if (cursor === '') return count;
      }
    };
    const pool = await makePool({ from: await snapshotOf(ctl), size: 3, ttl_seconds: null });
    await full(pool, 3);
    expect(await listed()).toBe(1);
    const { body } = await claim(pool);
    expect(await listed()).toBe(2);
    expect(body).toMatchObject({
      expires_at: null,
      clock: { now: '2026-05-01T09:00:00.000Z', frozen: true },
      last_call_at: null,
    });
    expect(Math.abs(body.created - Date.now() / 1000)).toBeLessThan(20);
    const own = { 'x-sandbox-token': body.credentials.control_token };
    const script = async (): Promise<unknown> =>
      (await send(app, 'GET', '/api/sandboxes/self/script', own)).body.script;
    expect(await script()).toMatchObject([{ state: 'waiting', fired: 0 }]);
    await send(app, 'POST', '/api/sandboxes/self/clock/advance', own, { seconds: 2 });
    expect(await script()).toMatchObject([{ state: 'done', fired: 1 }]);
    await pools('DELETE', `/${pool}`);
  });

  it('have a copy of their own: they go on when the snapshot and its sandbox are gone', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const pool = await makePool({ from: await snapshotOf(ctl), size: 1 });
    await send(app, 'DELETE', '/api/sandboxes/self', ctl);
    await full(pool, 1);
    const claims = [await claim(pool), await claim(pool)];
    for (const { status, body: claimed } of claims) {
      expect(status, JSON.stringify(claimed)).toBe(201);
      expect(claimed.counts).toEqual(body.counts);
    }
    await pools('DELETE', `/${pool}`);
  });

  it('are made smaller and larger, and deleted; what was claimed stays', async () => {
    const { ctl } = await makeSandbox(app, {});
    const pool = await makePool({ from: await snapshotOf(ctl), size: 3 });
    await full(pool, 3);
    expect((await pools('PATCH', `/${pool}`, { size: 1 })).body).toMatchObject({ size: 1, ready: 1, making: 0 });
    await pools('PATCH', `/${pool}`, { size: 2 });
    await full(pool, 2);
    expect((await pools('PATCH', `/${pool}`, { refill: false })).body).toMatchObject({ refill: false, making: 0 });
    const claimed = await claim(pool);
    expect((await pools('GET', `/${pool}`)).body).toMatchObject({ ready: 1, making: 0, claimed: 1 });
    await pools('PATCH', `/${pool}`, { size: 4 });
    await full(pool, 3);

    expect((await pools('DELETE', `/${pool}`)).body).toEqual({ success: true });
    for (const answer of [await pools('GET', `/${pool}`), await pools('DELETE', `/${pool}`), await claim(pool)]) {
      expect([answer.status, answer.body.message]).toEqual([404, 'pool_not_found']);
    }
    const bot = bearer(claimed.body.credentials.bot_token);
    expect((await send(app, 'POST', '/api/auth.test', bot)).body.ok).toBe(true);
    const left = await send(app, 'GET', `/api/sandboxes/${claimed.body.id}`, OPERATOR);
    expect([left.status, left.body.pool]).toEqual([200, null]);
  });

  it('are refused with what is wrong: fields, a name that is taken, snapshots and pools that nobody has', async () => {
    const { ctl } = await makeSandbox(app, {});
    const from = await snapshotOf(ctl);
    const pool = await makePool({ from, size: 1 });
    const cases: [object, number, unknown][] = [
      [
        { name: 'Big', from, size: 0, refill: 1, ttl_seconds: 5, colour: 'red' },
        400,
        [
          'name must be 1 to 40 of a-z, 0-9, ".", "_" and "-"',
          'size must be a whole number from 1 to 2000',
          'refill must be true or false',
          'ttl_seconds must be a whole number from 60 to 2592000, or null',
          'colour: no such field',
        ],
      ],
      [{ name: pool, from, size: 1 }, 409, 'name_taken'],
      [{ name: unique('pool'), from: 'Sn0ABCDEFGHI', size: 1 }, 404, 'snapshot_not_found'],
    ];
    for (const [body, status, message] of cases) {
      const answer = await pools('POST', '', body);
      expect(answer.status).toBe(status);
      expect(answer.body.message).toEqual(Array.isArray(message) ? expect.arrayContaining(message) : message);
    }
    const wrong = await claim(pool, { users: ['alice'], methods: 'all' });
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      ['users: a claim of a pool takes no such field', 'methods: a claim of a pool takes no such field'],
    ]);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${pool}`],
    ] as const) {
      expect((await send(app, method, `/api/pools${path}`, ctl)).body.message).toBe('not_admin');
    }
    expect((await send(app, 'POST', '/api/sandboxes', ctl, { pool })).body.message).toBe('not_admin');
    await pools('DELETE', `/${pool}`);
  });

  it('are at most twenty', async () => {
    const { ctl } = await makeSandbox(app, {});
    const from = await snapshotOf(ctl);
    const before = (await pools('GET')).body.pools.length as number;
    const names = Array.from({ length: 22 - before }, () => unique('pool'));
    const make = (name: string): Promise<Answer> => pools('POST', '', { name, from, size: 1, refill: false });
    for (const name of names.slice(3)) expect((await make(name)).status).toBe(201);
    const made = await Promise.all(names.slice(0, 3).map(make));
    expect(made.map(({ status, body }) => (status === 201 ? 201 : body.message)).toSorted()).toEqual([
      201,
      'too_many_pools',
      'too_many_pools',
    ]);
    const page = await send(app, 'GET', '/api/pools?limit=19', OPERATOR);
    const rest = await send(app, 'GET', `/api/pools?cursor=${encodeURIComponent(page.body.next_cursor)}`, OPERATOR);
    expect([page.body.pools.length, rest.body.pools.length, rest.body.next_cursor]).toEqual([19, 1, '']);
    await Promise.all(names.map((name) => pools('DELETE', `/${name}`)));
  });

  it('count toward SVC_SANDBOX_LIMIT, and belong to the named token that made them', async () => {
    const limited = await TestApp.start({
      SVC_SANDBOX_LIMIT: '3',
      SVC_ADMIN_TOKENS: 'ann:ann-has-a-long-token-of-hers,ben:ben-has-a-long-token-of-his',
      DATABASE_URL: '',
      SVC_DATA_DIR: 'memory',
    });
    try {
      const ann = { 'x-admin-token': 'ann-has-a-long-token-of-hers' };
      const ben = { 'x-admin-token': 'ben-has-a-long-token-of-his' };
      const source = await send(limited, 'POST', '/api/sandboxes', ann, {});
      const from = await snapshotOf({ 'x-sandbox-token': source.body.credentials.control_token }, limited);
      const post = (as: Record<string, string>, body: object): Promise<Answer> =>
        send(limited, 'POST', '/api/pools', as, body);
      // the source counts, too
      expect((await post(ann, { name: 'big', from, size: 3 })).body.message).toBe('too_many_sandboxes');
      expect((await post(ben, { name: 'bens', from, size: 1 })).body.message).toBe('snapshot_not_found');
      expect((await post(ann, { name: 'anns', from, size: 2 })).status).toBe(201);
      expect((await post(ann, { name: 'more', from, size: 1 })).body.message).toBe('too_many_sandboxes');
      await full('anns', 2, limited);
      expect((await send(limited, 'POST', '/api/sandboxes', ann, {})).body.message).toBe('too_many_sandboxes');
      expect((await send(limited, 'GET', '/api/pools', ben)).body.pools).toEqual([]);
      expect((await send(limited, 'GET', '/api/pools/anns', ben)).body.message).toBe('pool_not_found');
      const stolen = await send(limited, 'POST', '/api/sandboxes', ben, { pool: 'anns' });
      expect(stolen.body.message).toBe('pool_not_found');
      const claimed = await send(limited, 'POST', '/api/sandboxes', ann, { pool: 'anns' });
      expect(claimed.body).toMatchObject({ pooled: true, owner: 'ann' });
      // the room of the one that was claimed is taken
      await shows('anns', { error: 'too_many_sandboxes' }, limited);
      await send(limited, 'DELETE', `/api/sandboxes/${claimed.body.id}`, ann);
      await full('anns', 2, limited);
      expect((await pools('GET', '/anns', undefined, limited)).body.error).toBe(null);
      await send(limited, 'DELETE', '/api/pools/anns', ann);
      expect((await post(ann, { name: 'again', from, size: 2 })).status).toBe(201);
    } finally {
      await limited.stop();
    }
  });
});
