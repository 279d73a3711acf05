import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { FLAGS_OF_SANDBOX } from '../../src/sandbox/timeline/delivery-journal.queries.js';
import { eventually, receiver } from '../support/receiver.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';
import { useDeliveringApp } from '../support/tracker-hooks.js';

/** docs/reference/sandboxes.md#timeline */
describe('Deliveries on the timeline', () => {
  const server = useDeliveringApp();

  async function begin() {
    const { app } = server;
    const far = await receiver();
    const { ctl, body } = await makeSandbox(app, {
      rate_limit_multiplier: 0,
      channels: [{ name: 'ops', members: ['default-app'] }],
      outgoing_webhooks: [{ url: far.url, events: ['message'] }],
    });
    const { bot_token: token, channels } = body.credentials;
    const [sandbox] = await app.nest
      .get(Db)
      .readText<{ tenantId: number }>('SELECT tenant_id::float8 AS "tenantId" FROM sandboxes WHERE id = $1', [body.id]);
    return {
      isFlagsRead: ([asking, values]: Parameters<Db['read']>): boolean =>
        asking === FLAGS_OF_SANDBOX && values?.[0] === sandbox?.tenantId,
      post: async (text: string): Promise<void> => {
        const sent = { channel: channels.ops, text };
        const answer = await send(app, 'POST', '/api/chat.postMessage', bearer(token), sent);
        expect(answer.body.ok, JSON.stringify(answer.body)).toBe(true);
      },
      deliveries: async (): Promise<Answer['body'][]> =>
        (await send(app, 'GET', '/api/sandboxes/self/timeline?kind=delivery&limit=1000', ctl)).body.entries,
      keepJournal: async (journal: boolean): Promise<void> => {
        const { status } = await send(app, 'PATCH', '/api/sandboxes/self', ctl, { journal });
        expect(status).toBe(200);
      },
    };
  }

  it('have their bodies after reading the journal setting at most once a second, however many are sent', async () => {
    const box = await begin();
    const reads = vi.spyOn(server.app.nest.get(Db), 'read');
    const began = performance.now();
    const asked = (): number => reads.mock.calls.filter(box.isFlagsRead).length;
    await Promise.all(Array.from({ length: 30 }, (_, i) => box.post(`number ${i}`)));
    await eventually(async () => (await box.deliveries()).length === 30, 'an entry for each delivery');
    const most = Math.ceil((performance.now() - began) / 1000);
    expect(asked()).toBeGreaterThan(0);
    expect(asked()).toBeLessThanOrEqual(most);
    const bodies = (await box.deliveries()).map(({ request, response }) => [
      request.body !== undefined,
      response.status,
    ]);
    expect(bodies).toEqual(bodies.map(() => [true, 200]));
    reads.mockRestore();
  });

  it('have their bodies or not as the journal is switched on and off, from the next delivery on', async () => {
    const box = await begin();
    const hasBody = async (): Promise<boolean> => {
      const before = (await box.deliveries()).length;
      await box.post('one more');
      await eventually(async () => (await box.deliveries()).length > before, 'an entry of the delivery');
      return (
        (await box.deliveries()).at(-1).request !== undefined &&
        (await box.deliveries()).at(-1).request.body !== undefined
      );
    };
    expect(await hasBody()).toBe(true);
    await box.keepJournal(false);
    expect(await hasBody()).toBe(false);
    await box.keepJournal(true);
    expect(await hasBody()).toBe(true);
  });

  it('are recorded also when the store is away at their end', async () => {
    const box = await begin();
    const db = server.app.nest.get(Db);
    const read = db.read.bind(db);
    let away = 2;
    const cut = vi.spyOn(db, 'read').mockImplementation((...asked: Parameters<Db['read']>) => {
      const isCut = box.isFlagsRead(asked) && away-- > 0;
      return isCut ? Promise.reject(new Error('the connection was cut')) : (read(...asked) as Promise<never[]>);
    });
    await box.post('hear this');
    await eventually(async () => (await box.deliveries()).length === 1, 'an entry of the delivery');
    expect(away).toBeLessThan(1);
    cut.mockRestore();
  });
});
