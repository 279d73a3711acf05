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

  it('waits for itself: between a neighbour’s call and its answer come few of its own', async () => {
    const [loud, quiet] = [await app.workspace(), await app.workspace()];
    const [a, b] = [await loud.bot(), await quiet.bot()];
    let answered = 0;
    let isOver = false;
    const end = late();
    const load = Promise.all(
      Array.from({ length: 48 }, async () => {
        while (!isOver) {
          expect(await a.call('users.list')).toMatchObject({ ok: true });
          answered++;
        }
      }),
    );
    const between: number[] = [];
    try {
      for (let n = 0; n < 30; n++) {
        const before = answered;
        expect(await b.call('auth.test')).toMatchObject({ ok: true });
        between.push(answered - before);
      }
    } finally {
      isOver = true;
      end();
    }
    await load;
    // the first ones come while its level is not found yet; then about two, and without a level fifteen
    const settled = between.slice(10).sort((one, other) => one - other);
    expect(settled[10], between.join(' ')).toBeLessThan(8);
    expect(answered).toBeGreaterThan(0);
  });

  it('waits for itself alone where it calls with its control token, from its neighbour’s address', async () => {
    const [loud, quiet] = [await makeSandbox(app), await makeSandbox(app)];
    let answered = 0;
    let isOver = false;
    const end = late();
    const load = Promise.all(
      Array.from({ length: 48 }, async () => {
        while (!isOver) {
          expect((await send(app, 'GET', '/api/sandboxes/self/snapshots', loud.ctl)).status).toBe(200);
          answered++;
        }
      }),
    );
    const between: number[] = [];
    try {
      for (let n = 0; n < 30; n++) {
        const before = answered;
        expect((await send(app, 'GET', '/api/sandboxes/self/snapshots', quiet.ctl)).status).toBe(200);
        between.push(answered - before);
      }
    } finally {
      isOver = true;
      end();
    }
    await load;
    const settled = between.slice(10).sort((one, other) => one - other);
    expect(settled[10], between.join(' ')).toBeLessThan(8);
    expect(answered).toBeGreaterThan(0);
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
