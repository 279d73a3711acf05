import { LinearClient, RatelimitedLinearError } from '@linear/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { postGraphql } from '../support/tracker.js';

const QUERY = '{ viewer { id name email displayName } }';
const left = (headers: Headers) => [
  Number(headers.get('x-ratelimit-requests-remaining')),
  Number(headers.get('x-ratelimit-complexity-remaining')),
];

describe('budgets', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({
      SVC_TRACKER_REQUESTS_PER_HOUR: '4',
      SVC_TRACKER_COMPLEXITY_PER_HOUR: '300',
      SVC_TRACKER_MAX_COMPLEXITY: '250',
      SVC_TRACKER_MAX_ANSWER: '4000',
    });
  });
  afterAll(() => app.stop());

  it('are shared by all keys and tokens of a user, and separate from those of other users', async () => {
    const org = await app.organization();
    const [second, bob, token] = [await org.newApiKey(), await org.member(), await org.accessToken()];
    expect(left((await org.graphql(QUERY)).headers)).toEqual([3, 298]);
    expect(left((await second.graphql(QUERY)).headers)).toEqual([2, 296]);
    const byToken = await postGraphql(app, JSON.stringify({ query: QUERY }), { authorization: `Bearer ${token}` });
    expect(left(byToken.headers)).toEqual([1, 294]);
    expect(left((await bob.graphql(QUERY)).headers)).toEqual([3, 298]);
  });

  it('of requests refuse with RATELIMITED and refill continuously', async () => {
    const org = await app.organization();
    for (let i = 0; i < 4; i++) expect((await org.graphql('{')).status).toBe(400);
    const { status, headers, body } = await org.graphql(QUERY);
    const message = 'Rate limit exceeded. Only 4 requests are allowed per 1 hour.';
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [
        {
          message,
          extensions: {
            type: 'ratelimited',
            code: 'RATELIMITED',
            statusCode: 429,
            userError: true,
            userPresentableMessage: message,
            meta: { rateLimitResult: { allowed: false, requested: 1, remaining: 0, duration: 3_600_000, limit: 4 } },
            http: { status: 400, headers: {} },
          },
        },
      ],
    });
    // neither the refused request nor the one that did not parse took from the other budget
    expect(left(headers)).toEqual([0, 300]);
    expect(headers.get('x-complexity')).toBe('2');
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(850);
    expect(retryAfter).toBeLessThanOrEqual(900);
    app.clock.advance(retryAfter * 1000);
    expect((await org.graphql(QUERY)).status).toBe(200);
  });

  it('refuse an invalid body as well, once they are empty', async () => {
    const org = await app.organization();
    for (let i = 0; i < 4; i++) await org.graphql(QUERY);
    const { body } = await postGraphql(app, '[]', { authorization: org.apiKey });
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'RATELIMITED', statusCode: 429 });
  });

  it('of complexity refuse a query that does not fit, and take nothing for it', async () => {
    const org = await app.organization();
    const users = (first: number) => `{ users(first: ${first}) { nodes { id } } }`;
    const taken = await org.graphql(users(200));
    expect([taken.headers.get('x-complexity'), ...left(taken.headers)]).toEqual(['220', 3, 80]);
    const { status, headers, body } = await org.graphql(users(100));
    expect(status).toBe(400);
    expect(body.errors?.[0]).toMatchObject({
      message: 'Rate limit exceeded. Only 300 complexity points are allowed per 1 hour.',
      extensions: { meta: { rateLimitResult: { requested: 110, remaining: 80, limit: 300 } } },
    });
    expect(left(headers)).toEqual([3, 80]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(300);
    expect((await org.graphql(users(50))).status).toBe(200);
  });

  it('of a single query refuse with Query too complex, and take one request and no points', async () => {
    const org = await app.organization();
    const { status, headers, body } = await org.graphql('{ users(first: 228) { nodes { id } } }');
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [
        {
          message: 'Query too complex',
          extensions: {
            type: 'ratelimited',
            code: 'RATELIMITED',
            statusCode: 400,
            userError: true,
            userPresentableMessage: 'The query is too complex. Complexity: 250.8. Maximum allowed complexity: 250.',
            http: { status: 400, headers: {} },
          },
        },
      ],
    });
    expect(left(headers)).toEqual([3, 300]);
    expect(headers.get('x-complexity')).toBe('251');
    expect(headers.get('retry-after')).toBeNull();
  });

  it('charge an answer that turns out too large', async () => {
    const org = await app.organization();
    const aliases = Array.from({ length: 50 }, (_, i) => `viewer${i}: viewer { id name email displayName }`);
    const { status, headers, body } = await org.graphql(`{ ${aliases.join(' ')} }`);
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [
        {
          message: 'Query too complex',
          extensions: {
            type: 'ratelimited',
            code: 'RATELIMITED',
            statusCode: 400,
            userError: true,
            userPresentableMessage: 'The query is too complex. Its answer would be larger than 4000 bytes.',
            http: { status: 400, headers: {} },
          },
        },
      ],
    });
    expect([headers.get('x-complexity'), ...left(headers)]).toEqual(['70', 3, 230]);
    expect(left((await org.graphql(QUERY)).headers)).toEqual([2, 228]);
  });

  it('charge queries that fail during execution, with the SDK’s error class for each', async () => {
    const org = await app.organization();
    expect(left((await org.graphql('{ user(id: "nobody") { id } }')).headers)).toEqual([3, 298]);
    expect(left((await org.graphql('query($id: String!) { user(id: $id) { id } }', {})).headers)).toEqual([2, 296]);
    for (let i = 0; i < 2; i++) await org.graphql(QUERY);
    const client = new LinearClient({ apiKey: org.apiKey, apiUrl: `${app.baseUrl}/graphql` });
    const error = await client.viewer.then(
      () => undefined,
      (thrown: unknown) => thrown as RatelimitedLinearError,
    );
    expect(error).toBeInstanceOf(RatelimitedLinearError);
    expect(error).toMatchObject({ requestsLimit: 4, requestsRemaining: 0, complexityLimit: 300, status: 400 });
    expect(error?.retryAfter).toBeGreaterThan(800);
  });
});
