import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

const WRITERS = 50;
const RESETS = 100;
/** A slow machine makes fewer resets; each of them is held to the rule. */
const MOST_MS = 20_000;

// docs/reference/sandboxes.md#reset
describe('Resets among writers', () => {
  const app = useApp();

  it('leave no row of a write that was answered before', { timeout: 90_000 }, async () => {
    const made = await makeSandbox(app, {
      rate_limit_multiplier: 0,
      channels: [{ name: 'ops', members: ['default-app'], messages: 3 }],
    });
    const { credentials } = made.body;
    const bot = bearer(credentials.bot_token);
    const channel = credentials.channels.ops;
    let answered: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (!isOver) {
        const { status, body } = await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'written' });
        if (status === 200 && body.ok) answered.push(body.ts);
        else expect([status, body.error]).toEqual([503, 'service_unavailable']);
      }
    });
    const began = performance.now();
    let resets = 0;
    try {
      for (; resets < RESETS && performance.now() - began < MOST_MS; resets++) {
        const before = new Set(answered);
        const reset = await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, {});
        expect(reset.status, JSON.stringify(reset.body)).toBe(200);
        const { body } = await send(app, 'POST', '/api/conversations.history', bot, { channel, limit: 999 });
        const left = body.messages.filter(({ ts }: { ts: string }) => before.has(ts));
        expect(left).toEqual([]);
        answered = answered.filter((ts) => !before.has(ts));
      }
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    expect(resets).toBeGreaterThan(0);
    await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, {});
    expect((await send(app, 'GET', '/api/sandboxes/self', made.ctl)).body.counts.messages).toBe(3);
  });
});
