import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';

/** docs/reference/safety.md */
describe('texts of one tenant', () => {
  const server = useAttacked();

  it('that are Markdown nesting without end hold nobody else', async () => {
    const { bot, channels } = await server.sandbox();
    await server.neighbourIsServed(async () => {
      for (const part of ['>', '> ', '*a ', 'a.', '[']) {
        const text = `${part.repeat(Math.floor(11_990 / part.length))} end`;
        const body = { channel: channels['general'], markdown_text: text };
        expect((await server.send('/api/chat.postMessage', { headers: bot, body })).body.ok).toBe(true);
      }
    });
  });

  it('that are long and searched by many at once, with their matches marked, hold nobody else', async () => {
    const { bot, user, channels } = await server.sandbox();
    for (let n = 0; n < 20; n++) {
      const body = { channel: channels['general'], text: `${n} ${'the quick brown fox '.repeat(1_990)}` };
      expect((await server.send('/api/chat.postMessage', { headers: bot, body })).body.ok).toBe(true);
    }
    await server.neighbourIsServed(async () => {
      const body = { query: 'a b c d e f g h i j k l m n o p', highlight: true, count: 20 };
      const statuses = await Promise.all(
        Array.from(
          { length: 16 },
          async () => (await server.send('/api/search.messages', { headers: user, body })).status,
        ),
      );
      expect(statuses).toContain(200);
    });
  });
});
