import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { isInnerCall } from '../../kernel/clock/request-sandbox.js';
import { AccountProducts } from '../../auth/account-products.js';
import { AccessTokenError, AccessTokens, isAccessToken } from '../../auth/access-tokens.js';
import { bearer } from '../../kernel/http/bearer.js';
import { ownClientOf } from '../../kernel/http/own-calls.js';
import { eachText, type IdSpace } from '../../kernel/ids/id-space.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { cleanText } from '../../kernel/text/clean.js';
import { MessagingError } from '../wire/codes.js';
import { Identities, type Identified } from '../access/identities.js';
import { CallPasses } from './call-passes.js';
import type { Identity } from '../access/identity.js';
import { lru } from '../../kernel/lru.js';

const APP_TOKEN = /^xox[bp]-|^xoxe\.xox[bp]-1-/;
const REFRESH_TOKEN = /^xoxe-1-/;
const STEP_TOKEN = /^xwfp-/;
const APP_LEVEL_TOKEN = /^xapp-1-A0[0-9A-Z]{9}-[0-9]{13}-[0-9a-f]{64}$/;

/** What no text in the store holds names nothing. */
export const clean = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

/** By the form alone. */
export const isAppToken = (credential: string): boolean => APP_TOKEN.test(credential);
/** An app-level token, which only opens connections. */
export const isAppLevelToken = (credential: string): boolean => APP_LEVEL_TOKEN.test(credential);
/** A credential that is known by its hash. */
const isStored = (credential: string): boolean =>
  isAppToken(credential) ||
  isAppLevelToken(credential) ||
  REFRESH_TOKEN.test(credential) ||
  STEP_TOKEN.test(credential);
export const isJwt = isAccessToken;

/** Whether a rotating token is past its end, by its sandbox's clock. */
export const hasEnded = ({ expiresAt, sandbox }: Identity, clock: Clock): boolean =>
  expiresAt !== undefined && expiresAt <= clock.within(sandbox.time, () => clock.nowMicros());

/** Credentials whose sandbox's ids are remembered, so that what they name is found in one look-up. */
const REMEMBERED = 10_000;

type Args = Readonly<Record<string, unknown>>;

/** Arguments with the ids that are stored. */
export const stored = (args: Args, ids: IdSpace | null): Args =>
  ids ? eachText(args, (text) => ids.inside(text)) : args;

/** Who holds a credential of any kind (docs/reference/chat.md#tokens). */
@Injectable()
export class Credentials {
  /** Of credentials of sandboxes with ids of their own, by the credential's hash. */
  private readonly spaces = lru<string, IdSpace>(REMEMBERED);

  constructor(
    private readonly identities: Identities,
    private readonly accessTokens: AccessTokens,
    private readonly products: AccountProducts,
    private readonly clock: Clock,
    private readonly passes: CallPasses,
  ) {}

  /** Whether an app's token stands in the header; undefined: another kind of credential. */
  know(authorization: string | undefined): Promise<boolean> | undefined {
    const token = bearer(authorization);
    if (token === undefined || !isStored(token)) return undefined;
    return this.identify(token, {}).then(
      () => true,
      (error: unknown) => {
        if (error instanceof MessagingError) return false;
        throw error;
      },
    );
  }

  /** The ids in which the holder of a credential spoke last. */
  idsOf(token: string): IdSpace | null {
    if (this.spaces.size === 0 || isInnerCall()) return null;
    return this.spaces.get(sha256Hex(token)) ?? null;
  }

  /**
   * @param args the call's `team_id` chooses the workspace of a JWT; `channel` is looked up on the way
   * @throws MessagingError invalid_auth, token_revoked, token_expired, account_inactive, team_access_not_granted
   */
  async identify(token: string, args: Args): Promise<Identified> {
    const supposed = this.idsOf(token);
    const found = await this.find(token, stored(args, supposed)).catch((error: unknown) => {
      // a workspace may have been named by an id that its sandbox alone knows
      const isNamed = isJwt(token) && args['team_id'] !== undefined && !supposed && !isInnerCall();
      if (!isNamed || !(error instanceof MessagingError) || error.code !== 'team_access_not_granted') throw error;
      return this.findUnnamed(token, error);
    });
    const { ids } = found.identity.sandbox;
    if (ids === supposed || isInnerCall()) return found;
    if (ids) this.spaces.set(sha256Hex(token), ids);
    else this.spaces.delete(sha256Hex(token));
    return this.find(token, stored(args, ids));
  }

  /** Of a sandbox with ids of its own, whatever workspace was named. @throws refused, of any other */
  private async findUnnamed(token: string, refused: MessagingError): Promise<Identified> {
    const found = await this.find(token, {});
    if (!found.identity.sandbox.ids) throw refused;
    return found;
  }

  private async find(token: string, args: Args): Promise<Identified> {
    const channel = clean(args['channel']);
    if (isStored(token)) {
      const pass = this.passes.of(token);
      const found = await this.identities.ofToken(pass?.tokenHash ?? sha256Hex(token), channel);
      if (hasEnded(found.identity, this.clock)) throw new MessagingError('token_expired');
      if (!pass) return found;
      const { client, actedBy } = pass;
      return { ...found, identity: { ...found.identity, ...(client && { client }), ...(actedBy && { actedBy }) } };
    }
    if (!isJwt(token)) throw new MessagingError('invalid_auth');
    try {
      const { accountId, sid, claims } = await this.accessTokens.verify(token);
      const given = clean(args['team_id']);
      const teamGiven = typeof given === 'string' && given !== '';
      const teamId = teamGiven ? given : String(claims['team_id'] ?? '');
      const isBound = claims['bound'] === true;
      if (isBound && teamId !== claims['team_id']) throw new MessagingError('team_access_not_granted');
      const [identified, suspended] = await Promise.all([
        this.identities.ofAccount({ accountId, sid, teamId, teamGiven, ui: claims['ui'] === 1 }, channel),
        this.products.suspend(accountId, claims),
      ]);
      if (suspended) throw new MessagingError('account_inactive');
      if (!isBound) return identified;
      const actedBy = typeof claims['acted_by'] === 'string' ? { actedBy: claims['acted_by'] } : {};
      const client = ownClientOf(claims['client']);
      return { ...identified, identity: { ...identified.identity, isBound, ...actedBy, ...(client && { client }) } };
    } catch (error) {
      if (error instanceof AccessTokenError) throw new MessagingError(error.code);
      throw error;
    }
  }
}
