import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { OauthCodes } from '../../oauth/oauth-codes.js';
import { provesChallenge } from '../../oauth/pkce.js';
import { scopeList, unfitScope } from '../access/oauth-scopes.js';
import { User } from '../store/user.entity.js';
import { AuthorizationEnds } from './authorization-ends.js';
import { Authorizations, lockAuthorization, type Authorized, type TokenAnswer } from './authorizations.js';
import { OauthClients, type OauthClient } from './oauth-clients.js';
import { invalidClient, invalidGrant, invalidRequest, OauthError } from './oauth-error.js';
import { OauthToken } from './oauth-token.entity.js';
import type { TrackerGrant } from './tracker-consent.js';

/** What a client asks for, and who it says it is. */
export interface TokenRequest {
  readonly client: OauthClient;
  readonly clientSecret: string | undefined;
  readonly text: (name: string) => string | undefined;
}

/** The sandbox of what a request names, else that of the application’s home. */
export interface TokenSandbox {
  readonly tenantId: number;
  readonly sandbox: SandboxFlags | null;
}

/** The grants of the token endpoint (docs/reference/tracker-oauth.md#tokens). */
@Injectable()
export class TokenService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: OauthClients,
    private readonly codes: OauthCodes,
    private readonly authorizations: Authorizations,
    private readonly ends: AuthorizationEnds,
  ) {}

  /** Where a request takes place. */
  async placeOf({ client, text }: TokenRequest): Promise<TokenSandbox> {
    const code = text('code');
    const refresh = text('refresh_token');
    const organizationId =
      code !== undefined
        ? grantIn(await this.codes.find(code), client)?.organizationId
        : (await this.findRefresh(refresh))?.organizationId;
    const [place] = organizationId === undefined ? [] : await this.clients.places({ id: organizationId });
    return place ?? client;
  }

  /** @throws OauthError invalid_request, invalid_client, invalid_grant */
  async redeem(request: TokenRequest): Promise<TokenAnswer> {
    const { client, text } = request;
    const sent = required(text, 'code');
    const redirectUri = required(text, 'redirect_uri');
    const known = grantIn(await this.codes.find(sent), client);
    this.requireSecret(request, typeof known?.challenge === 'string');
    return this.spend(client, sent, (grant) => {
      return redirectUri === grant.redirectUri && isProven(grant, text('code_verifier'));
    });
  }

  /** For tests: as redeeming it, without its client's secret or verifier. @throws OauthError invalid_grant */
  redeemUnproven(client: OauthClient, sent: string): Promise<TokenAnswer> {
    return this.spend(client, sent, () => true);
  }

  /**
   * Of several that redeem a code at once, on any replicas, one succeeds; a code that is used again ends what it brought.
   * @throws OauthError invalid_grant
   */
  private async spend(client: OauthClient, sent: string, fits: (grant: TrackerGrant) => boolean): Promise<TokenAnswer> {
    const outcome = await this.db.write(async (tx): Promise<{ replayed?: string; answer?: TokenAnswer }> => {
      const code = await this.codes.lock(tx, sent);
      const grant = grantIn(code, client);
      if (!code || !grant) return {};
      if (code.isRedeemed) return { replayed: grant.grantId };
      if (code.expiresAt <= this.clock.nowMicros() || !fits(grant) || !(await isActive(tx, grant.userId))) return {};
      await this.codes.redeemed(tx, code);
      const authorized = await this.authorizations.authorize(tx, client, grant);
      if (!authorized) return {};
      const origin = { grantId: grant.grantId, isPublic: grant.challenge !== null };
      return { answer: await this.authorizations.issue(tx, authorized.authorization, grant.scopes, origin) };
    });
    if (outcome.replayed !== undefined) await this.ends.endGrant(outcome.replayed);
    if (!outcome.answer) throw invalidGrant();
    return outcome.answer;
  }

  /** @throws OauthError invalid_request, invalid_client, invalid_grant */
  async refresh(request: TokenRequest): Promise<TokenAnswer> {
    const { client, text } = request;
    const sent = required(text, 'refresh_token');
    const known = await this.findRefresh(sent);
    this.requireSecret(request, known?.isPublic === true);
    return this.db.write(async (tx) => {
      const authorization = known && (await lockAuthorization(tx, known.authorizationId));
      const where = { hash: sha256Hex(sent), kind: 'refresh' } as const;
      const token = await tx.sql.findOne(OauthToken, { where, lock: { mode: 'pessimistic_write' } });
      if (!token || token.revokedAt !== null || this.isPast(token) || authorization?.applicationId !== client.id)
        throw invalidGrant();
      if (!(await isActive(tx, authorization.userId))) throw invalidGrant();
      await this.authorizations.replaced(tx, token);
      return this.authorizations.issue(tx, authorization, token.scopes, token);
    });
  }

  /** The application acts as itself, in the organization that registered it. @throws OauthError */
  async byClient(request: TokenRequest): Promise<TokenAnswer> {
    const { client, text } = request;
    this.requireSecret(request, false);
    if (!client.hasClientCredentials)
      throw new OauthError(400, 'Error', 'Client does not support the client_credentials grant type');
    const asked = text('scope');
    const scopes = scopeList(asked);
    const unfit = asked === undefined ? '' : unfitScope(scopes, 'app');
    if (unfit !== undefined) throw new OauthError(400, 'invalid_scope', `Invalid scope: ${unfit}`);
    const consented = { organizationId: client.organizationId, userId: null, actor: 'app', scopes } as const;
    return this.db.write(async (tx) => {
      const authorized = (await this.authorizations.authorize(tx, client, consented)) as Authorized;
      return this.authorizations.issue(tx, authorized.authorization, scopes, { grantId: null, isPublic: false });
    });
  }

  private isPast({ expiresAt }: OauthToken): boolean {
    return expiresAt !== null && expiresAt <= this.clock.nowMicros();
  }

  private async findRefresh(token: string | undefined): Promise<OauthToken | null> {
    if (token === undefined) return null;
    return this.db.load((entities) => entities.findOneBy(OauthToken, { hash: sha256Hex(token), kind: 'refresh' }));
  }

  /** @param isOptional a code or token that PKCE proves needs no secret; a wrong one is refused nevertheless */
  private requireSecret({ client, clientSecret }: TokenRequest, isOptional: boolean): void {
    if (clientSecret === undefined && isOptional) return;
    if (!this.clients.opens(client, clientSecret)) throw invalidClient();
  }
}

/** Whether tokens may go on being given for somebody: people are suspended. */
const isActive = (tx: Tx, id: string): Promise<boolean> => tx.sql.existsBy(User, { id, active: true });

/** @throws OauthError invalid_request */
function required(text: TokenRequest['text'], name: string): string {
  const value = text(name);
  if (value === undefined) throw invalidRequest(`${name} is required`);
  return value;
}

const grantIn = (
  code: { clientId: string; consent: unknown } | null,
  { clientId }: OauthClient,
): TrackerGrant | undefined => (code?.clientId === clientId ? (code.consent as TrackerGrant) : undefined);

const isProven = ({ challenge, method }: TrackerGrant, verifier: string | undefined): boolean =>
  challenge === null ? verifier === undefined : verifier !== undefined && provesChallenge(verifier, challenge, method);
