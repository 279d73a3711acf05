import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { application, authorize } from '../support/oauth-application.js';
import { postGraphql } from '../support/tracker.js';

const HOUR = 3_600_000;
const QUERY =
  '{ rateLimitStatus { kind identifier limits { type requestedAmount allowedAmount remainingAmount period reset } } }';

// docs/reference/limits.md#graphql-budgets
describe('rateLimitStatus', () => {
  const app = useApp();

  it('says what the headers of its answer say, to keys, sessions and applications', async () => {
    const org = await app.organization();
    const made = await application(org);
    const byApplication = (await authorize(app, made, org.owner.id, { scope: 'read' })).access_token;
    const callers = [
      ['apiKey', org.apiKey],
      ['user', `Bearer ${await org.accessToken()}`],
      ['oauthClient', `Bearer ${byApplication}`],
    ] as const;
    const identifiers: string[] = [];
    for (const [kind, authorization] of callers) {
      const { headers, body } = await postGraphql(app, JSON.stringify({ query: QUERY }), { authorization });
      const { identifier, limits, ...rest } = body.data.rateLimitStatus;
      expect(rest).toEqual({ kind });
      identifiers.push(identifier);
      const numberIn = (name: string): number => Number(headers.get(name));
      expect(limits).toEqual(
        ['Requests', 'Complexity'].map((name) => ({
          type: name.toUpperCase(),
          requestedAmount: name === 'Requests' ? 1 : numberIn('x-complexity'),
          allowedAmount: numberIn(`x-ratelimit-${name}-limit`),
          remainingAmount: numberIn(`x-ratelimit-${name}-remaining`),
          period: HOUR,
          reset: expect.any(Number),
        })),
      );
      expect(numberIn('x-ratelimit-requests-reset') - limits[0].reset).toBeLessThan(10_000);
    }
    expect(identifiers[1]).toBe(org.user.id);
    expect(new Set(identifiers).size).toBe(3);
    const status = await org.client().rateLimitStatus;
    expect(status).toMatchObject({ kind: 'apiKey', identifier: identifiers[0] });
    expect(status.limits[1]!.remainingAmount).toBeLessThan(status.limits[1]!.allowedAmount);
  });
});
