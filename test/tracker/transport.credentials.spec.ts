import { AuthenticationLinearError } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { postGraphql } from '../support/tracker.js';

const app = useApp();
const VIEWER = '{"query":"{ viewer { id } }"}';

/** Answers that take from no budget show full ones. */
const isFull = (headers: Headers) =>
  headers.get('x-ratelimit-requests-remaining') === '5000' &&
  headers.get('x-ratelimit-complexity-remaining') === '3000000';

describe('credentials', () => {
  const send = (authorization?: string) =>
    postGraphql(app, VIEWER, authorization === undefined ? {} : { authorization });

  it('are an API key without Bearer, or an access token with Bearer', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    for (const authorization of [org.apiKey, `Bearer ${token}`, `bearer ${token}`]) {
      expect((await send(authorization)).body).toEqual({ data: { viewer: { id: org.owner.id } } });
    }
  });

  it('are refused in every other form with AUTHENTICATION_ERROR', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    const forms = [
      undefined,
      '',
      'Bearer',
      token,
      `svc_api_${'x'.repeat(40)}`,
      'Bearer x.y.z',
      'Basic YTpi',
      `Token ${org.apiKey}`,
    ];
    for (const authorization of forms) {
      const { status, headers, body } = await send(authorization);
      expect(status, authorization).toBe(401);
      expect(body).toEqual({
        errors: [
          {
            message: 'Authentication required, not authenticated',
            extensions: {
              type: 'authentication error',
              code: 'AUTHENTICATION_ERROR',
              statusCode: 401,
              userError: true,
              userPresentableMessage: 'You need to authenticate to access this operation.',
              meta: {},
              http: { status: 401, headers: {} },
            },
          },
        ],
      });
      expect(isFull(headers)).toBe(true);
    }
    const { LinearClient } = await import('@linear/sdk');
    const outsider = new LinearClient({ apiKey: 'svc_api_nobody', apiUrl: `${app.baseUrl}/graphql` });
    await expect(outsider.viewer).rejects.toThrow(AuthenticationLinearError);
  });

  it('name the mistake: an API key with Bearer, a token without organization', async () => {
    const org = await app.organization();
    const message =
      "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header.";
    const asBearer = await send(`Bearer ${org.apiKey}`);
    expect(asBearer.status).toBe(400);
    expect(asBearer.body.errors).toMatchObject([
      { message, extensions: { type: 'invalid input', code: 'INPUT_ERROR', userPresentableMessage: message } },
    ]);
    const unclaimed = await send(`Bearer ${await org.accessToken({})}`);
    expect(unclaimed.status).toBe(403);
    expect(unclaimed.body.errors).toMatchObject([
      { message: 'Organization required', extensions: { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 } },
    ]);
    expect([asBearer, unclaimed].every(({ headers }) => isFull(headers))).toBe(true);
  });

  it('are checked before the body', async () => {
    expect((await postGraphql(app, '[]')).status).toBe(401);
  });
});
