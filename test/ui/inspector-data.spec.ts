import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { TestSandbox } from '../support/sandbox.js';

// docs/reference/sandboxes.md#deliveries, #timeline
describe('data of the inspector', () => {
  const app = useApp();
  closeReceivers();

  /** A sandbox whose app receives messages at a URL that answers and at one that fails. */
  async function setUp() {
    const sandbox = await TestSandbox.make(app);
    const good = await receiver((request, reply) => reply.end(challengeOf(request.body)));
    const bad = await receiver((request, reply) => {
      if (request.body.includes('url_verification')) reply.end(challengeOf(request.body));
      else reply.writeHead(500).end('no');
    });
    for (const far of [good, bad]) {
      const made = await sandbox.send('POST', '/api/events/subscribe', sandbox.bot, {
        request_url: far.url,
        events: ['message'],
      });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
    }
    await sandbox.call('conversations.join', { channel: 'war-room' });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'hello' });
    await eventually(async () => {
      const { counts } = (await sandbox.control('GET', '/deliveries')).body;
      return counts.done > 0 && counts.retrying > 0;
    }, 'a delivery that arrived and one that did not');
    return { sandbox, good, bad };
  }
  const challengeOf = (body: string): string => (JSON.parse(body) as { challenge?: string }).challenge ?? '';

  it('names the targets of deliveries, and their app', async () => {
    const { sandbox, good, bad } = await setUp();
    const { deliveries } = (await sandbox.control('GET', '/deliveries?order=desc')).body;
    const targets = deliveries.map(({ target }: { target: object }) => target);
    for (const { url } of [good, bad]) {
      expect(targets).toContainEqual({
        id: expect.stringMatching(/^Es0/),
        kind: 'event_subscription',
        url,
        app_id: sandbox.made.app.id,
      });
    }
  });

  it('filters deliveries by app and by success', async () => {
    const { sandbox, good, bad } = await setUp();
    const found = async (ok: boolean): Promise<string[]> => {
      const query = `kind=delivery&ok=${ok}&app_id=${sandbox.made.app.id}&view=summary`;
      const { entries } = (await sandbox.control('GET', `/timeline?${query}`)).body;
      return [...new Set<string>(entries.map(({ target }: { target: { url: string } }) => target.url))];
    };
    expect(await found(true)).toEqual([good.url]);
    expect(await found(false)).toEqual([bad.url]);
  });
});
