import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poolOf } from '../../src/kernel/database/pool.js';
import { Lifecycle } from '../../src/kernel/http/lifecycle.js';
import { Metrics } from '../../src/kernel/metrics/metrics.js';
import { TestApp, useApp } from '../support/app.js';
import { serverUrl } from '../support/databases.js';
import { receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { postGraphql } from '../support/tracker.js';

const get = async (url: string): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('health', () => {
  const app = useApp();

  it('reports that the process lives and that it accepts calls', async () => {
    expect(await get(`${app.baseUrl}/api/health`)).toMatchObject({
      status: 200,
      body: { status: 'ok', service: 'messaging' },
    });
    expect(await get(`${app.baseUrl}/api/health/live`)).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await get(`${app.baseUrl}/api/health/ready`)).toEqual({
      status: 200,
      body: { status: 'ok', checks: { serving: true, database: true, migrations: true } },
    });
  });
});

describe('a server that is stopping', () => {
  it('fails readiness at once and keeps serving; it does not wait if readiness was never probed', async () => {
    const app = await TestApp.start();
    try {
      expect(app.nest.get(Lifecycle).drain()).toBe(0);
      expect(await get(`${app.baseUrl}/api/health/ready`)).toMatchObject({
        status: 503,
        body: { checks: { serving: false } },
      });
      expect(app.nest.get(Lifecycle).drain()).toBeGreaterThan(0);
      expect((await get(`${app.baseUrl}/api/health`)).status).toBe(200);
    } finally {
      await app.stop();
    }
  });
});

describe('metrics', () => {
  const token = 'scrapes-the-figures';
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_METRICS_PORT: '0', SVC_METRICS_HOST: '127.0.0.2', SVC_METRICS_TOKEN: token });
  });
  afterAll(() => app.stop());

  const get = (host: string, authorization?: string): Promise<Response> => {
    const url = `http://${host}:${app.nest.get(Metrics).port}/metrics`;
    return fetch(url, authorization === undefined ? {} : { headers: { authorization } });
  };
  const figures = async (): Promise<string> => (await get('127.0.0.2', `Bearer ${token}`)).text();

  // docs/SECURITY.md#what-each-setting-opens
  it('are served only on the address of SVC_METRICS_HOST, to callers with SVC_METRICS_TOKEN', async () => {
    for (const wrong of [undefined, token, 'Bearer', `Bearer ${token}x`, `Basic ${token}`]) {
      const refused = await get('127.0.0.2', wrong);
      expect([refused.status, await refused.text()], wrong).toEqual([401, '']);
    }
    const shown = await get('127.0.0.2', `Bearer ${token}`);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('understudy_requests_total')]);
    // nobody listens there, unless another process happens to
    const elsewhere = await get('127.0.0.1', `Bearer ${token}`).then(
      (answer) => answer.text(),
      () => '',
    );
    expect(elsewhere).not.toContain('understudy_requests_total');
  });

  it('count calls by method and outcome on a separate port, and contain no ids', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    await bot.call('chat.postMessage', { channel: channel.id, text: 'counted' });
    await bot.call('conversations.info', { channel: 'C0UNKNOWN00' });
    const text = await figures();

    expect(text).toMatch(/understudy_requests_total\{method="chat\.postMessage",outcome="ok"\} 1/);
    expect(text).toMatch(/understudy_requests_total\{method="conversations\.info",outcome="channel_not_found"\} 1/);
    expect(text).toMatch(/understudy_request_seconds_count\{method="chat\.postMessage"\} 1/);
    expect(text).toMatch(/understudy_batch_size_count\{statement="chat\.post"\} 1/);
    for (const name of [
      'pool_connections',
      'pool_waiting',
      'delivery_queue',
      'delivery_age_seconds',
      'requests_in_flight',
    ]) {
      expect(text).toContain(`understudy_${name} `);
    }
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).not.toContain(channel.id);
    expect((await fetch(`${app.baseUrl}/metrics`)).status).toBe(404);
  });

  it('show the sizes of batches of every statement that concurrent calls share', async () => {
    const [ws, org] = [await app.workspace(), await app.organization()];
    const far = await receiver();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    const deliver = async (): Promise<void> => {
      const before = far.received.length;
      await rest(app, 'POST /webhooks/outgoing', { token: person.token, body: { url: far.url, events: ['message'] } });
      await bot.call('chat.postMessage', { channel: ws.general.id, text: 'hello' });
      await far.until(({ length }) => length > before);
    };
    await bot.call('conversations.info', { channel: ws.general.id });
    const { team } = org;
    await org.data('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { team { key } } } }', {
      input: { teamId: team.id, title: 'batched' },
    });
    const session = await org.accessToken();
    await postGraphql(app, '{"query":"{ viewer { id } }"}', { authorization: `Bearer ${session}` });
    // a session may be suspended in the tracker, so the chat API checks that
    await rest(app, 'GET /workspaces', { token: session });

    const counted = async (): Promise<(string | undefined)[]> => {
      const counts = (await figures()).matchAll(/^understudy_batch_size_count\{statement="(.*)"\} [1-9]/gm);
      // those of the journal come when its pages are written, of which nobody hears
      return Array.from(counts, ([, name]) => name)
        .filter((name) => !/^(timeline|scripts|sandboxes)\./.test(name ?? ''))
        .sort();
    };
    // what became of deliveries is written afterwards; the server of another worker, on the same database, may make them
    const countedAfterDelivery = async () => (await deliver(), await counted());
    await expect.poll(countedAfterDelivery, { interval: 500, timeout: 20_000 }).toEqual([
      'accounts.suspended',
      'chat.post',
      'deliveries.history',
      'deliveries.lane',
      'deliveries.log',
      'deliveries.targets',
      'identities.by_session',
      'identities.by_token',
      'issues.create',
      // in memory with the embedded database
      ...(serverUrl === undefined ? [] : ['limits.bucket', 'limits.window']),
      // the embedded database has a single process
      ...(serverUrl === undefined ? [] : ['replicas.count']),
      'rows.load',
      'viewers.by_key',
      'viewers.by_session',
      'viewers.touch',
    ]);
  });
});

describe('overload', () => {
  it(
    'answers 503 with Retry-After in the format of each API while too many calls wait for the store',
    { timeout: 60_000 },
    async () => {
      const app = await TestApp.start();
      const pool = poolOf(app.nest.get(DataSource));
      // all connections are taken and not released, and more calls wait for one than may
      const held = Array.from({ length: 1_001 + pool.options.max }, () => pool.connect().catch(() => undefined));
      try {
        const method = await fetch(`${app.baseUrl}/api/auth.test`, { method: 'POST' });
        expect(Number(method.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(await method.json()).toEqual({ ok: false, error: 'service_unavailable' });
        const graphql = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', body: '{}' });
        expect(graphql.status).toBe(503);
        expect(await graphql.json()).toMatchObject({
          errors: [{ extensions: { type: 'network error', code: 'SERVICE_UNAVAILABLE' } }],
        });
        const rest = await fetch(`${app.baseUrl}/api/workspaces`);
        expect(await rest.json()).toEqual({
          statusCode: 503,
          message: 'service_unavailable',
          error: 'Service Unavailable',
        });
        expect((await fetch(`${app.baseUrl}/api/health/live`)).status).toBe(200);
      } finally {
        for (const connection of held) (await connection)?.release();
        await app.stop();
      }
    },
  );
});
