import { Injectable } from '@nestjs/common';
import { AccountProducts } from '../../auth/account-products.js';
import { AccessTokenError, AccessTokens } from '../../auth/access-tokens.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { MessagingError } from '../model/codes.js';
import { Identities, type Identified } from '../model/identities.js';

const APP_TOKEN = /^xox[bp]-/;
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** By the form alone. */
export const isAppToken = (credential: string): boolean => APP_TOKEN.test(credential);
export const isJwt = (credential: string): boolean => JWT.test(credential);

/** Who holds a credential of any kind (messaging.md A.4). */
@Injectable()
export class Credentials {
  constructor(
    private readonly identities: Identities,
    private readonly accessTokens: AccessTokens,
    private readonly products: AccountProducts,
  ) {}

  /**
   * @param args the call's `team_id` chooses the workspace of a JWT; `channel` is looked up on the way
   * @throws MessagingError invalid_auth, token_revoked, token_expired, account_inactive, team_access_not_granted
   */
  async identify(token: string, args: Readonly<Record<string, unknown>>): Promise<Identified> {
    if (isAppToken(token)) return this.identities.ofToken(sha256Hex(token), args['channel']);
    if (!isJwt(token)) throw new MessagingError('invalid_auth');
    try {
      const { accountId, sid, claims } = await this.accessTokens.verify(token);
      const given = args['team_id'];
      const teamGiven = typeof given === 'string' && given !== '';
      const teamId = teamGiven ? given : String(claims['team_id'] ?? '');
      const [identified, suspended] = await Promise.all([
        this.identities.ofAccount({ accountId, sid, teamId, teamGiven }, args['channel']),
        this.products.suspend(accountId, claims),
      ]);
      if (suspended) throw new MessagingError('account_inactive');
      return identified;
    } catch (error) {
      if (error instanceof AccessTokenError) throw new MessagingError(error.code);
      throw error;
    }
  }
}

/** The scheme is case-insensitive (A.4). An empty credential is none. */
export function bearer(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +(\S+) *$/i.exec(header);
  return match?.[1];
}
