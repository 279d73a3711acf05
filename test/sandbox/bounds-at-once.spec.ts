import { Agent, request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

const tooMany = (answer: Answer): unknown[] => [answer.status, answer.headers.get('retry-after'), answer.body.message];
const REFUSED = [503, '1', 'service_unavailable'];

/** docs/reference/sandboxes.md#timeline and #waiting; the limit on delayed calls is in faults.everywhere.spec.ts */
describe('what a sandbox may have open at the same time', () => {
  let app: TestApp;
  beforeAll(async () => {
    // each of these calls keeps a connection open, all from one address
    app = await TestApp.start({ SVC_CONNECTIONS_PER_ADDRESS: '1500' });
  });
  afterAll(() => app.stop());

  it('is limited to 100 streams; a stream that closes makes room for another', async () => {
    const [sandbox, other] = [await TestSandbox.make(app), await TestSandbox.make(app)];
    const agent = new Agent();
    const open = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const url = `${app.baseUrl}/api/sandboxes/self/timeline/stream?after=now`;
        request(url, { agent, headers: sandbox.person }, resolve).on('error', reject).end();
      });
    const streams = await Promise.all(Array.from({ length: 100 }, open));
    try {
      expect(new Set(streams.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      const path = '/timeline/stream?after=now';
      expect(tooMany(await sandbox.control('GET', path))).toEqual(REFUSED);
      expect((await other.control('GET', '/timeline')).status).toBe(200);
      streams.pop()?.destroy();
      await eventually(async () => {
        const next = await open();
        if (next.statusCode === 200) streams.push(next);
        else next.resume();
        return next.statusCode === 200;
      }, 'room for another stream');
    } finally {
      for (const stream of streams) stream.destroy();
      agent.destroy();
    }
  });

  it('is limited to 1,000 waits; other calls of the sandbox are still answered', { timeout: 90_000 }, async () => {
    const sandbox = await TestSandbox.make(app);
    const wait = (text: string): Promise<Answer> =>
      sandbox.control('POST', '/wait', { for: 'message', where: { text }, timeout_ms: 50_000 });
    // the server also refuses too many calls that begin at the same moment, so the client retries those
    let backingOff = 0;
    const waitWithRetry = async (): Promise<Answer> => {
      for (;;) {
        const answer = await wait('at last');
        if (answer.status !== 503) return answer;
        backingOff++;
        await new Promise((again) => setTimeout(again, 100));
        backingOff--;
      }
    };
    const waits: Promise<Answer>[] = [];
    // fifty at a time, the next when the server answers again
    while (waits.length < 1_000) {
      waits.push(...Array.from({ length: 50 }, waitWithRetry));
      await sandbox.control('GET', '/faults');
    }
    const one = { for: 'quiet', quiet_ms: 1, timeout_ms: 1 };
    const isFull = async (): Promise<boolean> =>
      (await sandbox.control('GET', '/faults')).status === 200 &&
      (await sandbox.control('POST', '/wait', one)).status === 503 &&
      backingOff === 0;
    await eventually(isFull, 'a thousand waits, and no room for another', 40_000);
    expect(tooMany(await wait('never'))).toEqual(REFUSED);
    expect((await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'at last' })).body.ok).toBe(true);
    const answers = await Promise.all(waits);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.matched}`))).toEqual(new Set(['200 true']));
    expect((await sandbox.control('POST', '/wait', one)).body.matched).toBe(true);
  });
});
