import { describe, expect, it } from 'vitest';
import { useAttacked, type Answer, type Tenant } from '../../support/attacked.js';
import { closeReceivers, receiver } from '../../support/receiver.js';

const WORDS = 'the quick brown fox jumps over the lazy dog while nobody looks at it '.repeat(30);

/** docs/reference/limits.md#overload: what takes long is done in pieces, and whoever asks for it waits for himself. */
describe('the neighbour is served', { timeout: 240_000 }, () => {
  const server = useAttacked({ SVC_FILE_MAX_BYTES: '1048576' });
  closeReceivers();

  const atOnce = (count: number, ask: (i: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
  const manyMessages = (count: number): Promise<Tenant> =>
    server.sandbox({
      channels: [
        { name: 'long', messages: Array.from({ length: count }, (_, i) => ({ as: 'admin', text: `${i} ${WORDS}` })) },
      ],
    });

  it('while pages of 1,000 long messages are read', async () => {
    const { user, channels } = await manyMessages(1_000);
    const body = { channel: channels['long'], limit: 999 };
    await server.neighbourIsServed(async () => {
      for (let round = 0; round < 3; round++) {
        const answers = await atOnce(8, () => server.send('/api/conversations.history', { headers: user, body }));
        expect(answers.some((answer) => answer.body.messages?.length === 999)).toBe(true);
      }
    });
  });

  it('while many terms are searched for in many messages, and long texts are marked', async () => {
    const { user } = await manyMessages(2_000);
    const terms = ['quick', 'brown', 'fox', 'jumps', 'over', 'lazy', 'dog', 'while', 'nobody', 'looks', 'at', 'it'];
    await server.neighbourIsServed(async () => {
      for (const highlight of [false, true]) {
        const body = { query: terms.join(' '), count: 100, highlight };
        const answers = await atOnce(12, () => server.send('/api/search.messages', { headers: user, body }));
        expect(answers.some(({ body: found }) => found.messages?.total > 0)).toBe(true);
      }
    });
  });

  it('while one expensive field is asked for under many aliases', async () => {
    const issues = Array.from({ length: 400 }, (_, i) => ({ team: 'ENG', title: `issue ${i}`, description: WORDS }));
    const { key } = await server.sandbox({ tracker: { teams: [{ name: 'Engineering', key: 'ENG' }], issues } });
    const fields = 'nodes { id identifier title description state { id name } labels { nodes { id } } }';
    await server.neighbourIsServed(async () => {
      for (let round = 0; round < 3; round++) {
        const answers = await atOnce(8, (i) => {
          const aliases = Array.from({ length: 20 }, (_, n) => `a${n}: issues(first: ${10 + n}) { ${fields} }`);
          const query = `query Q${round}x${i} { ${aliases.join(' ')} }`;
          return server.send('/graphql', { headers: key, body: { query } });
        });
        expect(answers.some((answer) => answer.body.data?.a0)).toBe(true);
      }
    });
  });

  it('while deliveries hang', async () => {
    const far = await receiver(() => undefined);
    const { user, bot, channels } = await server.sandbox();
    for (let n = 0; n < 20; n++) {
      const body = { url: `${far.url}?n=${n}`, events: ['message'] };
      expect((await server.send('/api/webhooks/outgoing', { headers: user, body })).status).toBe(201);
    }
    await server.neighbourIsServed(async () => {
      for (let round = 0; round < 5; round++) {
        const body = { channel: channels['general'], text: `hang ${round}` };
        await atOnce(20, () => server.send('/api/chat.postMessage', { headers: bot, body }));
      }
    });
  });

  it('while large documents are filled in', async () => {
    const { control } = await server.sandbox();
    await server.neighbourIsServed(async (again) => {
      for (let n = 0; n < 3; n++) {
        const name = `filled-${again}-${n}`;
        const body = {
          channels: [
            { name, messages: Array.from({ length: 3_000 }, (_, i) => ({ as: 'admin', text: `${i} ${WORDS}` })) },
          ],
        };
        const { status } = await server.send('/api/sandboxes/self/seed', { headers: control, body });
        expect([200, 503]).toContain(status);
      }
    });
  });
});
