import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';
import { unique } from '../../support/unique.js';

/** docs/reference/sandboxes.md#pools: who fills a pool lets everybody's calls go first. */
describe('the neighbour is served', { timeout: 240_000 }, () => {
  const server = useAttacked();

  it('while a pool of hundreds is filled, claimed from and deleted', async () => {
    const people = Array.from({ length: 10 }, (_, i) => ({ name: `user-${i}` }));
    const { control } = await server.sandbox({
      users: people,
      channels: [{ name: 'ops', members: people.map(({ name }) => name), messages: 120 }],
      tracker: { teams: [{ key: 'ENG', issues: Array.from({ length: 20 }, (_, i) => ({ title: `issue ${i}` })) }] },
    });
    const taken = await server.send('/api/sandboxes/self/snapshots', { headers: control, body: {} });
    await server.neighbourIsServed(async () => {
      const name = unique('pool');
      const pool = { name, from: taken.body.id, size: 400 };
      expect((await server.send('/api/pools', { headers: server.operator, body: pool })).status).toBe(201);
      // it goes on beside the neighbour's calls, and beside claims
      for (let n = 0; n < 20; n++) {
        const claimed = await server.send('/api/sandboxes', { headers: server.operator, body: { pool: name } });
        expect(claimed.status, JSON.stringify(claimed.body)).toBe(201);
      }
      const { body } = await server.send(`/api/pools/${name}`, { headers: server.operator });
      expect(body).toMatchObject({ claimed: 20, error: null });
      const gone = await server.send(`/api/pools/${name}`, { headers: server.operator, method: 'DELETE' });
      expect(gone.status).toBe(200);
    });
  });
});
