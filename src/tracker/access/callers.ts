import { Injectable } from '@nestjs/common';
import { type AccessTokenClaims, AccessTokenError, AccessTokens, isAccessToken } from '../../auth/access-tokens.js';
import { bearer, isBearer, withoutBearer } from '../../kernel/http/bearer.js';
import { ownClientOf } from '../../kernel/http/own-calls.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { organizationOfClaim } from './org-claim.js';
import { Viewers, type Refusal, type Viewer } from './viewer.js';

/** Why a credential is not accepted (docs/reference/tracker.md#rest); `not_authed` when there is none. */
export type CallerRefusal = Refusal | 'not_authed' | 'token_expired';

export type Identification = { viewer: Viewer } | { refused: CallerRefusal };

/** Whether a credential has the form of an API key. */
export const looksLikeApiKey = (credential: string): boolean => credential.startsWith('svc_api_');

/** Whether a credential has the form of a release pipeline's key. */
export const looksLikeReleaseKey = (credential: string): boolean => credential.startsWith('svc_rel_');

/** Whether a credential has the form of an OAuth access token. */
export const isOauthToken = (credential: string): boolean => /^lin_oauth_[0-9a-f]{64}$/.test(credential);

/** Finds the caller of a credential. Every edge of the tracker uses it, and decides itself which forms it accepts. */
@Injectable()
export class Callers {
  constructor(
    private readonly viewers: Viewers,
    private readonly tokens: AccessTokens,
  ) {}

  /** The credential of a header in the forms of docs/reference/tracker.md#transport; undefined: in none of them. */
  byHeader(authorization: string): Promise<Identification> | undefined {
    if (isBearer(authorization)) {
      const token = withoutBearer(authorization).trim();
      return isOauthToken(token) ? this.byOauthToken(token) : this.byAccessToken(token);
    }
    if (looksLikeApiKey(authorization)) return this.byApiKey(authorization);
    return looksLikeReleaseKey(authorization) ? this.byReleaseKey(authorization) : undefined;
  }

  /** A raw API key. */
  byApiKey(key: string): Promise<Identification> {
    return this.viewers.byApiKey(sha256Hex(key));
  }

  /** The raw key of a release pipeline. */
  byReleaseKey(key: string): Promise<Identification> {
    return this.viewers.byReleaseKey(sha256Hex(key));
  }

  /** A raw OAuth access token: live, of an application that is still authorized. */
  byOauthToken(token: string): Promise<Identification> {
    return this.viewers.byOauthToken(sha256Hex(token));
  }

  /** A raw access token: valid, of a live session, of an active user of the organization it claims. */
  async byAccessToken(token: string): Promise<Identification> {
    const verified = await this.verified(token);
    if ('refused' in verified) return verified;
    const { accountId, sid, claims } = verified;
    const organizationId = organizationOfClaim(claims['org']) ?? null;
    const found = await this.viewers.bySession({ accountId, sid, organizationId });
    if ('refused' in found) return found;
    const actedBy = claims['acted_by'];
    const client = ownClientOf(claims['client']);
    return {
      viewer: {
        ...found.viewer,
        ...(claims['ui'] === 1 && { ui: true }),
        ...(client && { client }),
        ...(typeof actedBy === 'string' && { actedBy }),
      },
    };
  }

  /** The same when the organization does not matter: the token's claims, once its session is known to be live. */
  async accountOf(token: string): Promise<AccessTokenClaims | { refused: CallerRefusal }> {
    const verified = await this.verified(token);
    if ('refused' in verified) return verified;
    const { accountId, sid } = verified;
    const session = await this.viewers.bySession({ accountId, sid, organizationId: null });
    const lives = 'refused' in session && session.refused === 'organization_required';
    return lives ? verified : (session as { refused: CallerRefusal });
  }

  /** Whether an API key, or an access token of a live session, stands in the header; undefined: another kind of credential. */
  know(authorization: string): Promise<boolean> | undefined {
    const token = bearer(authorization);
    const found = looksLikeApiKey(authorization)
      ? this.byApiKey(authorization)
      : looksLikeReleaseKey(authorization)
        ? this.byReleaseKey(authorization)
        : token !== undefined && isOauthToken(token)
          ? this.byOauthToken(token)
          : token !== undefined && isAccessToken(token)
            ? this.accountOf(token)
            : undefined;
    return found?.then((answer) => !('refused' in answer));
  }

  private async verified(token: string): Promise<AccessTokenClaims | { refused: CallerRefusal }> {
    try {
      return await this.tokens.verify(token);
    } catch (error) {
      if (error instanceof AccessTokenError) return { refused: error.code };
      throw error;
    }
  }
}
