import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import type { CallCaller } from '../../kernel/http/calls.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { AuthorizationEnds } from './authorization-ends.js';
import { OauthAuthorization } from './oauth-authorization.entity.js';
import { OauthClients } from './oauth-clients.js';
import { invalidRequest, OauthError } from './oauth-error.js';
import { OauthToken } from './oauth-token.entity.js';
import type { TokenSandbox } from './token.service.js';

/** A token with what it belongs to. */
export interface FoundToken extends TokenSandbox {
  readonly token: OauthToken;
  readonly authorization: OauthAuthorization;
  readonly caller: CallCaller;
}

/** Ends authorizations by their tokens (docs/reference/tracker-oauth.md#ends). */
@Injectable()
export class Revocation {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: OauthClients,
    private readonly ends: AuthorizationEnds,
  ) {}

  /** @throws OauthError 401 invalid_token */
  async find(sent: string): Promise<FoundToken> {
    const token = await this.db.load((entities) => entities.findOneBy(OauthToken, { hash: sha256Hex(sent) }));
    const authorization =
      token &&
      (await this.db.load((entities) => entities.findOneBy(OauthAuthorization, { id: token.authorizationId })));
    const [place] = authorization ? await this.clients.places({ id: authorization.organizationId }) : [];
    const application = authorization && (await this.clients.byId(authorization.applicationId));
    if (!token || !authorization || !place || !application) throw unknown();
    const caller = { kind: 'client', app_id: application.id, app: application.name } as const;
    return { token, authorization, caller, tenantId: place.tenantId, sandbox: place.sandbox };
  }

  /** @throws OauthError 400 invalid_request when it was revoked before, 401 invalid_token when it has expired */
  async revoke({ token, authorization }: FoundToken): Promise<void> {
    if (token.revokedAt !== null) throw invalidRequest('The token was revoked before');
    if (token.expiresAt !== null && token.expiresAt <= this.clock.nowMicros()) throw unknown();
    if (!(await this.ends.end(authorization, authorization.id))) throw invalidRequest('The token was revoked before');
  }
}

const unknown = (): OauthError => new OauthError(401, 'invalid_token', 'The token is unknown or has expired');
