import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

/** docs/reference/limits.md#overload */
describe('a tenant whose calls make the event loop late', () => {
  let app: TestApp;
  // a server of its own: its event loop is kept busy
  beforeAll(async () => {
    app = await TestApp.start({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
  });
  afterAll(() => app.stop());

  /** Has the event loop always come late, until the answer is called. */
  function late(): () => void {
    const timer = setInterval(() => {
      for (const until = performance.now() + 15; performance.now() < until;);
    }, 1);
    return () => clearInterval(timer);
  }

  /**
   * While 48 callers ask `own` again and again and the event loop comes late: how many of their calls are answered
   * between a neighbour's call and its answer. The median of 20 calls, after ten in which a level is found.
   */
  async function answeredBetween(own: () => Promise<void>, neighbours: () => Promise<void>): Promise<number> {
    let answered = 0;
    let isOver = false;
    const end = late();
    const load = Promise.all(
      Array.from({ length: 48 }, async () => {
        while (!isOver) {
          await own();
          answered++;
        }
      }),
    );
    // told when it is awaited
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

  it('waits for itself: between a neighbour’s call and its answer come few of its own', async () => {
    const [loud, quiet] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await loud.bot(), await quiet.bot()];
    const between = await answeredBetween(
      // on a busy machine some of them wait too long
      async () => expect([undefined, 'service_unavailable']).toContain((await a.call('users.list')).error),
      async () => expect(await b.call('auth.test')).toMatchObject({ ok: true }),
    );
    // about two, and without a level fifteen
    expect(between).toBeLessThan(8);
  });

  it('waits for itself alone where it calls with its control token, from its neighbour’s address', async () => {
    const [loud, quiet] = [await makeSandbox(app), await makeSandbox(app)];
    const list = async (ctl: Record<string, string>): Promise<number> =>
      (await send(app, 'GET', '/api/sandboxes/self/snapshots', ctl)).status;
    const between = await answeredBetween(
      async () => expect([200, 503]).toContain(await list(loud.ctl)),
      async () => expect(await list(quiet.ctl)).toBe(200),
    );
    expect(between).toBeLessThan(8);
  });

  it('may try again at once, without reading Retry-After: each refusal takes its time, and neighbours get theirs', async () => {
    const [loud, quiet] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await loud.bot(), await quiet.bot()];
    expect(await b.call('auth.test')).toMatchObject({ ok: true });
    const took: number[] = [];
    let isOver = false;
    const end = late();
    // 200 of them wait
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
    // timers may be a millisecond early
    expect(Math.min(...took)).toBeGreaterThan(195);
  });

  it('is not held up by those of its calls that wait for an app', async () => {
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
    const end = late();
    try {
      const commands = Array.from({ length: 12 }, () =>
        rest(app, 'POST /commands/execute', {
          token: admin.token,
          body: { channel_id: ws.general.id, command: '/hold', text: '' },
        }),
      );
      // more than may be at work at once have come as far as their app
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
