import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

describe('the timeline', () => {
  const app = useApp();

  it('lists a call after the events it caused, each of which names it', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'hello' });
    const { status, body } = await sandbox.control('GET', '/timeline?kind=call,event');
    expect(status, JSON.stringify(body)).toBe(200);
    const [event, call] = body.entries.slice(-2) as Any[];
    expect(event).toMatchObject({ kind: 'event', product: 'chat', event: 'message', data: { text: 'hello' } });
    expect(call).toMatchObject({
      kind: 'call',
      product: 'chat',
      method: 'chat.postMessage',
      status: 200,
      ok: true,
      error: null,
      caller: { kind: 'bot' },
      args: { channel: 'war-room', text: 'hello' },
      answer: { ok: true, message: { text: 'hello' } },
    });
    expect(event.cause).toBe(call.request_id);
    expect(event.id < call.id).toBe(true);
    expect(body.more).toBe(false);
    expect(body.cursor).toBe(call.id);
    expect((await sandbox.control('GET', `/timeline/${call.id}`)).body).toEqual(call);
    expect(await sandbox.control('GET', '/timeline/t0000000zzz')).toMatchObject({
      status: 404,
      body: { message: 'entry_not_found' },
    });
  });

  it('redacts credentials everywhere', async () => {
    const sandbox = await TestSandbox.make(app);
    const token = sandbox.bot['authorization']?.slice(7) as string;
    await sandbox.send('POST', '/api/auth.test', {}, { token });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: `use ${token}` });
    const { body } = await sandbox.control('GET', '/timeline');
    expect(JSON.stringify(body)).not.toContain(token);
    expect(JSON.stringify(body)).toContain('[redacted]');
  });

  it('lists the newest first, in pages, and in the short form', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const text of ['one', 'two', 'three']) await sandbox.call('chat.postMessage', { channel: 'war-room', text });
    const first = await sandbox.control('GET', '/timeline?order=desc&limit=2&kind=call&view=summary&method=chat.*');
    expect(first.body.entries.map(({ summary }: Any) => summary)).toEqual([
      'chat.postMessage → ok: three',
      'chat.postMessage → ok: two',
    ]);
    expect(first.body.entries[0]).toMatchObject({ bytes: expect.any(Number), channel: expect.stringMatching(/^C/) });
    expect(first.body.entries[0]).not.toHaveProperty('args');
    expect(first.body.more).toBe(true);
    const rest = await sandbox.control(
      'GET',
      `/timeline?order=desc&limit=2&kind=call&method=chat.*&before=${first.body.cursor}`,
    );
    expect(rest.body).toMatchObject({ entries: [{ args: { text: 'one' } }], more: false });
  });

  it('filters by channel name, matcher and text, and refuses invalid filters', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'deploying' });
    await sandbox.call('chat.postMessage', { channel: 'general', text: 'elsewhere' });
    const where = encodeURIComponent(JSON.stringify({ data: { channel: '#war-room' } }));
    const events = await sandbox.control('GET', `/timeline?kind=event&where=${where}`);
    expect(events.body.entries.map(({ data }: Any) => data.text)).toEqual(['deploying']);
    const texts = await sandbox.control('GET', '/timeline?kind=call&text=elsewhere&channel=general');
    expect(texts.body.entries).toHaveLength(1);
    const bad = await sandbox.control('GET', `/timeline?where=${encodeURIComponent('{"a":{"$regex":"x"}}')}`);
    expect(bad).toMatchObject({ status: 400, body: { statusCode: 400, error: 'Bad Request' } });
    expect(bad.body.message).toMatch(/^where\.a\.\$regex: no such operator/);
    for (const query of [
      'kind=x',
      'after=x',
      'limit=0',
      'limit=1001',
      'until=soon',
      'until=2026-02-30',
      'where=5',
      'where=[]',
      'order=up',
    ]) {
      expect((await sandbox.control('GET', `/timeline?${query}`)).status, query).toBe(400);
    }
  });

  it('accepts notes and marks, and can be emptied', async () => {
    const sandbox = await TestSandbox.make(app);
    const note = await sandbox.control('POST', '/timeline', { text: 'test 1', data: { a: 1 } });
    expect(note).toMatchObject({ status: 201, body: { kind: 'note', text: 'test 1', data: { a: 1 } } });
    const mark = await sandbox.control('POST', '/timeline/mark');
    expect(mark).toMatchObject({ status: 200, body: { cursor: note.body.id } });
    await sandbox.call('api.test', {});
    await sandbox.call('auth.test', {});
    const since = await sandbox.control('GET', '/timeline?since=mark&kind=call');
    expect(since.body.entries.at(-1).method).toBe('auth.test');
    expect((await sandbox.control('DELETE', '/timeline')).body).toEqual({ success: true });
    expect((await sandbox.control('GET', `/timeline?after=${mark.body.cursor}`)).body.entries).toEqual([]);
  });

  it('records GraphQL operations with their complexity, and control calls with their route', async () => {
    const sandbox = await TestSandbox.make(app);
    const answer = await sandbox.graphql('{ viewer { id } organization { id } }');
    expect(answer.body.errors).toBeUndefined();
    await sandbox.send('GET', '/api/apps', sandbox.person);
    const { body } = await sandbox.control('GET', '/timeline?kind=call');
    expect(body.entries.slice(-2)).toMatchObject([
      { product: 'tracker', method: 'viewer', methods: ['viewer', 'organization'], cost: { complexity: 3 } },
      { product: 'chat', method: 'GET /api/apps' },
    ]);
  });

  it('exports calls and deliveries as HAR', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('auth.test', {});
    const har = await sandbox.control('GET', '/timeline.har');
    expect(har.body.log).toMatchObject({ version: '1.2', creator: { name: 'understudy' } });
    expect(har.body.log.entries.at(-1).request.url).toMatch(/\/api\/auth\.test$/);
  });

  it('streams new entries, and announces when it was emptied', async () => {
    const sandbox = await TestSandbox.make(app);
    const controller = new AbortController();
    const response = await fetch(`${app.baseUrl}/api/sandboxes/self/timeline/stream?after=now&kind=event`, {
      headers: sandbox.person,
      signal: controller.signal,
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const until = async (part: string): Promise<void> => {
      while (!text.includes(part)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`ended without ${part}: ${text}`);
        text += new TextDecoder().decode(value);
      }
    };
    await until(': here');
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'streamed' });
    await until('streamed');
    expect(text).toMatch(/id: t[0-9a-z]{10}\ndata: \{/);
    await sandbox.control('DELETE', '/timeline');
    await until('event: cleared');
    controller.abort();
  });

  it('resumes a stream where a client left off, and allows at most 100 at a time', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const text of ['one', 'two', 'three']) await sandbox.control('POST', '/timeline', { text });
    const { entries } = (await sandbox.control('GET', '/timeline?kind=note')).body;
    const closed = new AbortController();
    const open = (headers: object = {}): Promise<Response> =>
      fetch(`${app.baseUrl}/api/sandboxes/self/timeline/stream?kind=note`, {
        headers: { ...sandbox.person, ...headers },
        signal: closed.signal,
      });
    const read = async (response: Response, part: string): Promise<string> => {
      let text = '';
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(chunk);
        if (text.includes(part)) break;
      }
      return text;
    };
    try {
      const resumed = await open({ 'last-event-id': entries[0].id });
      expect([resumed.headers.get('cache-control'), resumed.headers.get('x-accel-buffering')]).toEqual([
        'no-store',
        'no',
      ]);
      const text = await read(resumed, 'three');
      expect(text).toContain('two');
      expect(text).not.toContain('"one"');
      const all = await Promise.all(Array.from({ length: 105 }, () => open()));
      const refused = all.filter(({ status }) => status === 503);
      // the stream above may have closed by now
      expect([5, 6]).toContain(refused.length);
      expect(refused[0]?.headers.get('retry-after')).toBe('1');
    } finally {
      closed.abort();
    }
  });
});
