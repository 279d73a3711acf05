import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import { ACCESS_TOKEN_SECONDS, AccessTokenError, AccessTokens } from './access-tokens.js';
import { AccountProducts, type Claims, type SessionPart, type SignInOptions } from './account-products.js';
import { Accounts, type AccountSecrets } from './accounts.js';
import { AuthRate } from './auth-rate.js';
import type { LoginBody, SignupBody } from './auth.dto.js';
import { Passwords } from './passwords.js';
import { Sessions, type BegunSession } from './sessions.js';

/**
 * The session object of both products (docs/reference/control-plane.md#accounts); each product adds its fields of
 * account and tenant.
 */
export interface SessionAnswer {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Seconds. */
  readonly expiresIn: number;
  readonly [shown: string]: unknown;
}

/** Sign-up, login and renewal of sessions. Hashing happens outside transactions, off the event loop. */
@Injectable()
export class SignIn {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly rate: AuthRate,
    private readonly db: Db,
    private readonly accounts: Accounts,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly products: AccountProducts,
  ) {}

  /** @throws RestError 403 signup_closed, 409 email_taken, and what products refuse */
  async signup(body: SignupBody): Promise<SessionAnswer> {
    if (this.settings.signup === 'closed') throw new RestError(403, 'signup_closed');
    const email = body.email.toLowerCase();
    const realName = body.name ?? email.slice(0, email.indexOf('@'));
    const passwordHash = await this.passwords.hash(body.password, 'person');
    const options = { teamId: body.team_id ?? undefined };
    const id = await this.db.write(async (tx) => {
      const made = await this.accounts.create(tx, { email, passwordHash, realName });
      if (made === null) throw new RestError(409, 'email_taken');
      for (const product of this.products.all) {
        await product.onAccountCreated?.(tx, { id: made, email, realName, name: body.name ?? undefined }, options);
      }
      return made;
    });
    return this.begin(id, options, {});
  }

  /**
   * @throws RestError 401 invalid_credentials, equally slow for an unknown address and for a wrong password; 429 ratelimited
   */
  async login(body: LoginBody): Promise<SessionAnswer> {
    const account = await this.accountOf(body.email, body.password);
    return this.begin(account.id, { teamId: body.team_id ?? undefined }, account.claims);
  }

  /** Whose e-mail address and password these are, without a session. @throws RestError as login */
  async check(email: string, password: string): Promise<string> {
    return (await this.accountOf(email, password)).id;
  }

  private async accountOf(email: string, password: string): Promise<AccountSecrets> {
    const account = await this.rate.attempt('login', email.toLowerCase(), async () => {
      const found = await this.accounts.findByEmail(email);
      const matches = await this.passwords.verify(found?.passwordHash, password);
      return matches && found && !found.deactivated ? found : null;
    });
    if (!account) throw new RestError(401, 'invalid_credentials');
    return account;
  }

  /**
   * The exchange is the last step that can fail, so that a client that got no answer has not lost its session.
   * `markDelivered` records that the answer was sent.
   * @throws RestError 401 invalid_refresh_token, 429 ratelimited
   */
  async refresh(token: string): Promise<SessionAnswer> {
    const holder = await this.sessions.holderOf(token);
    if (!holder?.good) {
      if (holder?.spent) await this.stolen(token, holder.accountId);
      throw new RestError(401, 'invalid_refresh_token');
    }
    const part = await this.enter(holder.accountId, {}, holder.claims);
    const session = await this.sessions.refresh(token, holder);
    if (!session) throw new RestError(401, 'invalid_refresh_token');
    return this.answer(holder.accountId, session, part);
  }

  /** The answer to a refresh was sent to its client. */
  markDelivered(token: string): Promise<void> {
    return this.sessions.markDelivered(token);
  }

  private async stolen(token: string, accountId: string): Promise<void> {
    await this.sessions.endStolen(token);
    await this.rate.refused('refresh', accountId);
  }

  /** Ends the session of an access token. @throws RestError 401 and, for another kind of credential, 403 */
  async logout(credential: string | undefined): Promise<void> {
    if (credential === undefined) throw new RestError(401, 'not_authed');
    const { accountId, sid } = await this.verified(credential);
    const was = await this.sessions.end(accountId, sid);
    if (was !== 'ended') throw new RestError(401, was === 'was_over' ? 'token_revoked' : 'invalid_auth');
  }

  /** A new session of an account, besides its existing ones: also for a product that changed the claims. */
  async begin(accountId: string, options: SignInOptions, kept: Claims, tx?: Tx): Promise<SessionAnswer> {
    const part = await this.enter(accountId, options, kept);
    return this.answer(accountId, await this.sessions.begin(accountId, part.claims, tx), part);
  }

  private async verified(credential: string): Promise<{ accountId: string; sid: string }> {
    try {
      return await this.accessTokens.verify(credential);
    } catch (error) {
      if (!(error instanceof AccessTokenError)) throw error;
      for (const product of this.products.all) {
        const refusal = await product.refusal?.(credential);
        if (refusal) throw refusal;
      }
      throw new RestError(401, error.code);
    }
  }

  private async enter(accountId: string, options: SignInOptions, kept: Claims): Promise<SessionPart> {
    let claims: Claims = kept;
    let view = {};
    for (const product of this.products.all) {
      const part = await product.enter?.(accountId, options, claims);
      if (!part) continue;
      claims = { ...claims, ...part.claims };
      view = { ...view, ...part.view };
    }
    return { claims, view };
  }

  private async answer(accountId: string, session: BegunSession, part: SessionPart): Promise<SessionAnswer> {
    return {
      accessToken: await this.accessTokens.issue({ accountId, sid: session.sid, claims: part.claims }),
      refreshToken: session.refreshToken,
      tokenType: 'Bearer',
      expiresIn: ACCESS_TOKEN_SECONDS,
      ...part.view,
    };
  }
}
