import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';

/** docs/reference/sandboxes.md#matchers */
describe('patterns of $matches', () => {
  const server = useAttacked();

  it('that unfold to far more than they are written are refused at once', async () => {
    const { control } = await server.sandbox();
    const $matches = `(?:${'[a-z]'.repeat(158)}){1000}`;
    await server.neighbourIsServed(async () => {
      const all = Array.from({ length: 65 }, (_, n) => ({ text: { $matches: `${$matches}${n}` } }));
      for (const where of [{ text: { $matches } }, { $or: all }]) {
        const body = { on: { method: '*', where }, fault: { type: 'delay', ms: 1 } };
        const { status, ms, body: said } = await server.send('/api/sandboxes/self/faults', { headers: control, body });
        expect({ status, message: said.message }).toEqual({
          status: 400,
          message: expect.stringMatching(/^on\.where\..*\$matches: pattern_too_large/),
        });
        expect(ms).toBeLessThan(1_000);
      }
    });
  });

  it('of a fault take their time from nobody else, however long the texts of its calls are', async () => {
    const { control, bot, channels } = await server.sandbox();
    const where = { args: { text: { $matches: 'a[^c]{800}(?:d|e)$' } } };
    const fault = { on: { method: 'chat.postMessage', where }, fault: { type: 'drop' }, times: null };
    expect((await server.send('/api/sandboxes/self/faults', { headers: control, body: fault })).status).toBe(201);
    await server.neighbourIsServed(async () => {
      for (let n = 0; n < 10; n++) {
        const body = { channel: channels['general'], text: 'ab'.repeat(20_000) };
        expect((await server.send('/api/chat.postMessage', { headers: bot, body })).body.ok).toBe(true);
      }
    });
  });

  it('of a hundred stored faults are compiled once, and judged in pieces', async () => {
    const { control, bot, channels } = await server.sandbox();
    for (let n = 0; n < 100; n++) {
      const where = { args: { text: { $matches: `(?:ab|[bc]){200}${n}$` } } };
      const body = { on: { method: 'chat.postMessage', where }, fault: { type: 'drop' }, times: null };
      expect((await server.send('/api/sandboxes/self/faults', { headers: control, body })).status).toBe(201);
    }
    await server.neighbourIsServed(async () => {
      for (let n = 0; n < 20; n++) {
        const body = { channel: channels['general'], text: 'abcb'.repeat(500) };
        expect((await server.send('/api/chat.postMessage', { headers: bot, body })).body.ok).toBe(true);
      }
    });
  });
});
