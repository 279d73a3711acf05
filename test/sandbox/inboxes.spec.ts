import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

describe('inboxes', () => {
  const app = useApp();

  const received = async (sandbox: TestSandbox): Promise<Any[]> =>
    (await sandbox.control('GET', '/timeline?kind=received')).body.entries as Any[];

  it('are gone with their sandbox, at once', async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body as { url: string };
    expect((await fetch(url, { method: 'POST' })).status).toBe(200);
    expect((await sandbox.control('DELETE', '')).status).toBe(200);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  });

  it('accept any request, answer from their list in turn, and record what arrived on the timeline', async () => {
    const sandbox = await TestSandbox.make(app);
    const answers = [
      { status: 503, body: '<html>away</html>', headers: { 'retry-after': '3', 'content-type': 'text/html' } },
      { status: 201, body: '{"done":true}' },
    ];
    const made = await sandbox.control('POST', '/inboxes', { name: 'far', answers });
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^In/), name: 'far', answers } });
    const { id, url } = made.body as { id: string; url: string };
    expect(url).toMatch(new RegExp(`^${app.baseUrl}/in/[A-Za-z0-9]{32}$`));
    const first = await fetch(`${url}?a=1`, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect([first.status, first.headers.get('retry-after'), await first.text()]).toEqual([
      503,
      '3',
      '<html>away</html>',
    ]);
    expect(first.headers.get('content-security-policy')).toBe('sandbox');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    for (const method of ['POST', 'DELETE', 'GET']) {
      const next = await fetch(url, { method });
      expect([next.status, await next.json()]).toEqual([201, { done: true }]);
    }
    const entries = await received(sandbox);
    expect(entries).toHaveLength(4);
    expect(entries[0]).toMatchObject({
      kind: 'received',
      inbox: id,
      verified: null,
      request: { method: 'PUT', query: { a: '1' }, headers: { 'content-type': 'text/plain' }, body: 'hello' },
    });
    const waited = await sandbox.control('POST', '/wait', { for: 'received', where: { inbox: id }, after: 'start' });
    expect(waited.body.matched).toBe(true);
    expect((await sandbox.control('GET', '/inboxes')).body.inboxes).toMatchObject([{ id, url }]);
    await sandbox.control('POST', '/seed?baseline=true', {});
    await sandbox.control('POST', '/reset', {});
    expect((await fetch(url)).status).toBe(503);
    expect((await sandbox.control('DELETE', `/inboxes/${id}`)).body).toEqual({ success: true });
    expect((await fetch(url)).status).toBe(404);
    expect((await sandbox.control('DELETE', `/inboxes/${id}`)).body.message).toBe('inbox_not_found');
  });

  it('name the app whose secret signed the request', async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body as { url: string };
    const hook = await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, {
      url: 'http://127.0.0.1:9/',
      events: ['message'],
      secret: 'a secret of the hook',
    });
    const body = '{"a":1}';
    const sign = (secret: string): Record<string, string> => ({
      'x-slack-request-timestamp': '1700000000',
      'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:1700000000:${body}`).digest('hex')}`,
    });
    await fetch(url, { method: 'POST', headers: sign('a secret of the hook'), body });
    await fetch(url, { method: 'POST', headers: sign('of nobody'), body });
    expect((await received(sandbox)).map(({ verified }) => verified as unknown)).toEqual([hook.body.id, null]);
  });

  it('answer the URL verification handshake; invalid settings are refused with their path', async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', { answers: [{ challenge: true }] })).body as Any;
    const subscribed = await sandbox.send('POST', '/api/events/subscribe', sandbox.person, {
      request_url: url,
      events: ['message.channels'],
    });
    expect(subscribed).toMatchObject({ status: 201, body: { verified: true } });
    expect(await received(sandbox)).toMatchObject([{ request: { body: { type: 'url_verification' } } }]);
    for (const [bad, path] of [
      [{ answers: {} }, 'answers'],
      [{ answers: Array.from({ length: 101 }, () => ({})) }, 'answers'],
      [{ answers: [{ body: 'x'.repeat(65_537) }] }, 'answers'],
      [{ answers: [{ status: 199 }] }, 'answers[0].status'],
      [{ answers: [{ delay_ms: 30_001 }] }, 'answers[0].delay_ms'],
      [{ answers: [{ headers: { 'Set-Cookie': 'a=b' } }] }, 'answers[0].headers.Set-Cookie'],
    ] as const) {
      const refused = await sandbox.control('POST', '/inboxes', bad);
      expect([refused.status, String(refused.body.message).startsWith(path)]).toEqual([400, true]);
    }
    const large = await fetch(url, { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024 + 1) });
    expect([large.status, (await large.json()) as Any]).toMatchObject([413, { message: 'payload_too_large' }]);
  });

  it('are limited to 100 per sandbox, and to 600 requests a minute from outside', async () => {
    const sandbox = await TestSandbox.make(app);
    const make = (count: number) =>
      Promise.all(Array.from({ length: count }, () => sandbox.control('POST', '/inboxes', {})));
    const made = [];
    for (let i = 0; i < 9; i++) made.push(...(await make(10)));
    made.push(...(await make(13)));
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
      Array.from({ length: 3 }, () => [409, 'too_many_inboxes']),
    );
    const url = String(made.find(({ status }) => status === 201)?.body.url);
    const statuses: number[] = [];
    for (let i = 0; i < 13; i++) {
      const some = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).status));
      statuses.push(...some);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    expect(await (await fetch(url)).json()).toMatchObject({ message: 'ratelimited' });
  });
});

describe('inboxes of a server whose SVC_TARGETS exclude the server itself', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_TARGETS: '192.0.2.1', DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
  });
  afterAll(() => app.stop());

  it('receive the deliveries of their own sandbox inside the server, and of no other', async () => {
    const [one, other] = [await TestSandbox.make(app), await TestSandbox.make(app)];
    const { url } = (await one.control('POST', '/inboxes', {})).body as { url: string };
    const hooks = await Promise.all(
      [one, other].map(({ person }) =>
        one.send('POST', '/api/webhooks/outgoing', person, { url, events: ['message'] }),
      ),
    );
    await other.call('chat.postMessage', { channel: 'war-room', text: 'not for them' });
    await one.call('chat.postMessage', { channel: 'war-room', text: 'inside' });
    const { body } = await one.control('POST', '/wait', { for: 'received', after: 'start', timeout_ms: 10_000 });
    expect(body.entries[0]).toMatchObject({
      verified: expect.stringMatching(/^(A|Ow)/),
      request: { method: 'POST', body: { event: { text: 'inside' } } },
    });
    const done = await one.control('POST', '/wait', {
      for: 'delivery',
      after: 'start',
      where: { target: { id: hooks[0]?.body.id } },
    });
    expect(done.body.entries[0]).toMatchObject({ response: { status: 200 } });
    const refused = await other.control('POST', '/wait', { for: 'delivery', after: 'start', timeout_ms: 10_000 });
    expect(refused.body.entries[0]).toMatchObject({ error: 'connection_failed' });
  });
});
