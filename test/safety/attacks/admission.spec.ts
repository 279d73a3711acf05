import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../../support/app.js';
import { rest } from '../../support/rest-client.js';
import { makeSandbox, send } from '../../support/sandbox-routes.js';

/** docs/reference/limits.md#overload */
describe('a tenant whose calls delay the event loop', () => {
  let app: TestApp;
  // a server of its own, as its event loop is blocked
  beforeAll(async () => {
    app = await TestApp.start({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
  });
  afterAll(() => app.stop());

  /** Blocks the event loop again and again until the returned function is called. */
  function delayEventLoop(): () => void {
    const timer = setInterval(() => {
      for (const until = performance.now() + 15; performance.now() < until;);
    }, 1);
    return () => clearInterval(timer);
  }

  /**
   * While 48 clients repeat `own` and the event loop is delayed: how many of their calls are answered
   * during one call of a neighbour. The median of 20 calls, after ten in which the limit adjusts.
   */
  async function answeredBetween(own: () => Promise<void>, neighbours: () => Promise<void>): Promise<number> {
    let answered = 0;
    let isOver = false;
    const end = delayEventLoop();
    const load = Promise.all(
      Array.from({ length: 48 }, async () => {
        while (!isOver) {
          await own();
          answered++;
        }
      }),
    );
    // a failure is reported where the promise is awaited
    load.catch(() => undefined);
    const between: number[] = [];
    try {
      for (let n = 0; n < 30; n++) {
        const before = answered;
        await neighbours();
        between.push(answered - before);
      }
    } finally {
      isOver = true;
      end();
    }
    await load;
    expect(answered).toBeGreaterThan(0);
    return between.slice(10).sort((one, other) => one - other)[10] as number;
  }

  it('delays itself: few of its own calls are answered during a neighbour’s call', async () => {
    const [loud, quiet] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await loud.bot(), await quiet.bot()];
    const between = await answeredBetween(
      // some of them may time out in the queue of a busy machine
      async () => expect([undefined, 'service_unavailable']).toContain((await a.call('users.list')).error),
      async () => expect(await b.call('auth.test')).toMatchObject({ ok: true }),
    );
    // about two; without the adjusting limit it would be fifteen
    expect(between).toBeLessThan(8);
  });

  it('delays only itself when it calls with its control token, from its neighbour’s address', async () => {
    const [loud, quiet] = [await makeSandbox(app), await makeSandbox(app)];
    const list = async (ctl: Record<string, string>): Promise<number> =>
      (await send(app, 'GET', '/api/sandboxes/self/snapshots', ctl)).status;
    const between = await answeredBetween(
      async () => expect([200, 503]).toContain(await list(loud.ctl)),
      async () => expect(await list(quiet.ctl)).toBe(200),
    );
    expect(between).toBeLessThan(8);
  });

  it('may retry at once and ignore Retry-After: each refusal is delayed, and neighbours are served', async () => {
    const [loud, quiet] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await loud.bot(), await quiet.bot()];
    expect(await b.call('auth.test')).toMatchObject({ ok: true });
    const took: number[] = [];
    let isOver = false;
    const end = delayEventLoop();
    // 200 of them wait in the queue
    const load = Promise.all(
      Array.from({ length: 300 }, async () => {
        while (!isOver) {
          const began = performance.now();
          const answer = await fetch(`${app.baseUrl}/api/users.list`, {
            method: 'POST',
            headers: { authorization: `Bearer ${a.token}` },
          });
          await answer.text();
          if (answer.status === 200) continue;
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
          took.push(performance.now() - began);
        }
      }),
    );
    try {
      while (took.length < 200) expect(await b.call('auth.test')).toMatchObject({ ok: true });
    } finally {
      isOver = true;
      end();
    }
    await load;
    // a timer may fire a millisecond early
    expect(Math.min(...took)).toBeGreaterThan(195);
  });

  it('is not delayed by calls that wait for an app', async () => {
    const ws = await app.workspace();
    const neighbour = await (await app.workspace()).bot();
    const [bot, admin] = [await ws.bot(), await ws.jwtClient({ user: ws.admin })];
    let asked = 0;
    let answer!: () => void;
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
    const target = createServer((request, reply) => {
      request.resume();
      asked++;
      void mayAnswer.then(() => reply.end('done'));
    });
    await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    const made = await rest(app, 'POST /commands', { token: bot.token, body: { command: '/hold', url } });
    expect(made.status).toBe(201);
    const end = delayEventLoop();
    try {
      const commands = Array.from({ length: 12 }, () =>
        rest(app, 'POST /commands/execute', {
          token: admin.token,
          body: { channel_id: ws.general.id, command: '/hold', text: '' },
        }),
      );
      // more calls have reached their app than may run at the same time
      while (asked < 12) {
        expect(await neighbour.call('auth.test')).toMatchObject({ ok: true });
        await sleep(5);
      }
      expect(await bot.call('auth.test')).toMatchObject({ ok: true });
      answer();
      for (const { status } of await Promise.all(commands)) expect(status).toBe(200);
    } finally {
      answer();
      end();
      target.close();
    }
  });
});
