import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

describe('faults', () => {
  const app = useApp();
  const post = (sandbox: TestSandbox, text = 'x') => sandbox.call('chat.postMessage', { channel: 'war-room', text });

  it('affect the next matching call once, answer in the format of its API, and are counted', async () => {
    const sandbox = await TestSandbox.make(app);
    const made = await sandbox.control('POST', '/faults', {
      on: { method: 'chat.postMessage', where: { args: { channel: '#war-room' } } },
      fault: { type: 'ratelimited', retry_after: 3 },
    });
    expect(made).toMatchObject({ status: 201, body: { times: 1, skip: 0, seen: 0, fired: 0 } });
    expect(made.body.id).toMatch(/^Fa0[0-9A-Z]{9}$/);
    expect((await sandbox.call('chat.postMessage', { channel: 'general', text: 'x' })).body.ok).toBe(true);
    const hit = await post(sandbox);
    expect(hit).toMatchObject({ status: 429, body: { ok: false, error: 'ratelimited' } });
    expect(hit.headers.get('retry-after')).toBe('3');
    expect((await post(sandbox)).body.ok).toBe(true);
    const { body } = await sandbox.control('GET', '/faults');
    expect(body.faults).toMatchObject([{ id: made.body.id, fired: 1 }]);
    const call = await sandbox.control('GET', '/timeline?kind=call&error=ratelimited');
    expect(call.body.entries).toMatchObject([{ fault: made.body.id, status: 429, ok: false }]);
    const fired = await sandbox.control('GET', '/timeline?kind=fault&order=desc&limit=1');
    expect(fired.body.entries).toMatchObject([{ action: 'fired', cause: call.body.entries[0].request_id }]);
    expect((await sandbox.control('DELETE', `/faults/${made.body.id}`)).body).toEqual({ success: true });
    expect((await sandbox.control('DELETE', `/faults/${made.body.id}`)).status).toBe(404);
  });

  it('answer with the id of the request, under which the timeline has the call and the fault', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const fault of [
      { type: 'ratelimited', retry_after: 1 },
      { type: 'error', error: 'fatal_error' },
    ]) {
      await sandbox.control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault });
      const { headers, body } = await post(sandbox);
      expect(body.ok).toBe(false);
      const requestId = headers.get('x-slack-req-id');
      const [call, fired] = await Promise.all(
        ['call', 'fault'].map((kind) => sandbox.control('GET', `/timeline?kind=${kind}&order=desc&limit=1`)),
      );
      expect(call?.body.entries).toMatchObject([{ error: body.error, request_id: requestId }]);
      expect(fired?.body.entries).toMatchObject([{ action: 'fired', cause: requestId }]);
    }
  });

  it('answer error codes, HTTP pages and GraphQL errors', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = (on: object, what: object): Promise<unknown> =>
      sandbox.control('POST', '/faults', { on, fault: what });
    await fault({ method: 'chat.*' }, { type: 'error', error: 'fatal_error' });
    expect(await post(sandbox)).toMatchObject({ status: 200, body: { ok: false, error: 'fatal_error' } });
    await fault({ method: '*' }, { type: 'http', status: 503, body: '<h1>no</h1>', headers: { 'X-A': 'b' } });
    const page = await post(sandbox);
    expect(page).toMatchObject({ status: 503, body: '<h1>no</h1>' });
    expect(page.headers.get('content-security-policy')).toBe('sandbox');
    expect(page.headers.get('x-a')).toBe('b');
    await fault({ method: 'viewer' }, { type: 'ratelimited' });
    const limited = await sandbox.graphql('{ viewer { id } }');
    expect(limited).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'RATELIMITED' } }] } });
    await fault({ method: 'GET /api/apps' }, { type: 'error', error: 'oops' });
    expect(await sandbox.send('GET', '/api/apps', sandbox.person)).toMatchObject({
      status: 400,
      body: { message: 'oops' },
    });
    expect((await post(sandbox)).body.ok).toBe(true);
  });

  it('break the answer after the call has taken effect', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const fault of [{ type: 'lose_answer' }, { type: 'truncate' }, { type: 'drop' }]) {
      await sandbox.control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault });
      await expect(post(sandbox, fault.type), fault.type).rejects.toThrow();
    }
    await sandbox.control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault: { type: 'duplicate' } });
    expect((await post(sandbox, 'twice')).body.ok).toBe(true);
    await sandbox.control('POST', '/faults', {
      on: { method: 'chat.postMessage' },
      fault: { type: 'slow', bytes_per_second: 100_000 },
    });
    expect((await post(sandbox, 'slow')).body.ok).toBe(true);
    const { body } = await sandbox.control('GET', '/timeline?kind=event');
    expect(body.entries.map(({ data }: { data: { text: string } }) => data.text)).toEqual([
      'lose_answer',
      'truncate',
      'twice',
      'twice',
      'slow',
    ]);
  });

  it('take effect and send no answer until the caller disconnects', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('POST', '/faults', {
      on: { method: 'chat.postMessage' },
      fault: { type: 'lose_answer', how: 'timeout' },
    });
    const controller = new AbortController();
    let isAnswered = false;
    const silent = fetch(`${app.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { ...sandbox.bot, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'war-room', text: 'silent' }),
      signal: controller.signal,
    }).finally(() => (isAnswered = true));
    const heard = await sandbox.control('POST', '/wait', {
      for: 'message',
      where: { text: 'silent' },
      after: 'start',
      timeout_ms: 30_000,
    });
    expect(heard.body.matched).toBe(true);
    // a later call is answered before it
    expect((await post(sandbox, 'next')).body.ok).toBe(true);
    expect(isAnswered).toBe(false);
    controller.abort();
    await expect(silent).rejects.toThrow();
  });

  it('skip as many calls as asked, and affect only one of several concurrent calls', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('POST', '/faults', {
      on: { method: 'api.test' },
      fault: { type: 'error', error: 'fatal_error' },
      skip: 1,
    });
    await sandbox.control('POST', '/faults', { on: { method: 'auth.test' }, fault: { type: 'error', error: 'no' } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => sandbox.call('auth.test', {})));
    expect(answers.filter(({ body }) => body.error === 'no')).toHaveLength(1);
    expect((await sandbox.control('DELETE', '/faults')).body).toEqual({ success: true });
    expect((await sandbox.control('GET', '')).body.faults).toBe(0);
  });

  it('are refused with the path of the faulty field', async () => {
    const sandbox = await TestSandbox.make(app);
    const on = { method: 'chat.postMessage' };
    for (const [body, message] of [
      [{ fault: { type: 'drop' } }, /^on: /],
      [{ on, fault: { type: 'explode' } }, /^fault\.type: /],
      [{ on, fault: { type: 'http', status: 200, headers: { 'Set-Cookie': 'a=b' } } }, /^fault\.headers\.Set-Cookie: /],
      [{ on: { ...on, where: { a: { $x: 1 } } }, fault: { type: 'drop' } }, /^on\.where\.a\.\$x: /],
    ] as const) {
      const refused = await sandbox.control('POST', '/faults', body);
      expect(refused.status, JSON.stringify(refused.body)).toBe(400);
      expect(refused.body.message).toMatch(message);
    }
  });
});
