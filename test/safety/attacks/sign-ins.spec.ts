import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';

/** docs/reference/limits.md#sign-in */
describe('many who sign in at once', { timeout: 240_000 }, () => {
  // neither accounts nor addresses are counted: only so many at once remain
  const server = useAttacked({ SVC_AUTH_RATE: '0,0' });

  it('are told that they are too many, never that the service is away, and another tenant is answered', async () => {
    const { bot } = await server.sandbox();
    let isOver = false;
    // beside another tenant's calls, those of one address take turns
    const neighbour = (async () => {
      const statuses = new Set<number>();
      while (!isOver) statuses.add((await server.send('/api/auth.test', { headers: bot, body: {} })).status);
      return statuses;
    })();
    const signIn = (i: number) =>
      server.send('/api/auth/login', { body: { email: `nobody${i}@example.com`, password: 'not the password' } });
    const answers = await Promise.all(Array.from({ length: 400 }, (_, i) => signIn(i)));
    isOver = true;
    expect([...(await neighbour)]).toEqual([200]);
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([401, 429]);
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});
