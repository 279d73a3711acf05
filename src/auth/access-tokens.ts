import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Clock } from '../kernel/clock/clock.js';

/**
 * The claims of an access token: the account, its session, and what each product added
 * (docs/reference/control-plane.md#accounts).
 */
export interface AccessTokenClaims {
  readonly accountId: string;
  readonly sid: string;
  /** `team_id` of the chat product, `org` of the tracker. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An access token that is not accepted. Both codes are part of the API. */
export class AccessTokenError extends Error {
  constructor(readonly code: 'invalid_auth' | 'token_expired') {
    super(code);
  }
}

/** Lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3600;

const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Whether a credential has the form of an access token. */
export const isAccessToken = (credential: string): boolean => JWT.test(credential);

/** Makes and verifies access tokens (JWT, HS256). The caller checks whether the session is still live. */
@Injectable()
export class AccessTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly clock: Clock,
  ) {}

  async issue(token: AccessTokenClaims, seconds = ACCESS_TOKEN_SECONDS): Promise<string> {
    const iat = Math.floor(this.clock.wallMs() / 1000);
    // synchronous: an HMAC takes microseconds, an asynchronous one a turn of the event loop
    return this.jwt.sign({
      ...token.claims,
      sub: token.accountId,
      sid: token.sid,
      iat,
      exp: iat + seconds,
    });
  }

  /** @throws AccessTokenError */
  async verify(token: string): Promise<AccessTokenClaims> {
    try {
      const payload = await this.jwt.verifyAsync<Record<string, unknown>>(token, {
        algorithms: ['HS256'],
        clockTimestamp: Math.floor(this.clock.wallMs() / 1000),
      });
      const { sub, sid, iat: _iat, exp: _exp, ...claims } = payload;
      if (typeof sub !== 'string' || typeof sid !== 'string') throw new AccessTokenError('invalid_auth');
      return { accountId: sub, sid, claims };
    } catch (error) {
      if (error instanceof AccessTokenError) throw error;
      throw new AccessTokenError((error as Error).name === 'TokenExpiredError' ? 'token_expired' : 'invalid_auth');
    }
  }
}
