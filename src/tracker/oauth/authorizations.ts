import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { InstallationTold } from '../../kernel/sandbox/installation-told.js';
import { newAlphanumeric, newHex, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import { Organization } from '../store/organization.entity.js';
import { AppUsers } from './app-users.js';
import { ApplicationWebhooks } from './application-webhooks.js';
import { PRUNE_TOKENS, REVOKE_TOKENS } from './authorizations.queries.js';
import type { OauthApplication } from '../store/oauth-application.entity.js';
import { OauthAuthorization } from './oauth-authorization.entity.js';
import { OauthToken } from './oauth-token.entity.js';

/** How long tokens live, in seconds by the sandbox's clock. */
const ACCESS_SECONDS = 86_400;
const CLIENT_SECONDS = 2_592_000;
/** A refresh token that was used serves so much longer. */
const USED_SECONDS = 1_800;

/** The newest tokens of each kind that an authorization keeps. */
const KEPT = 50;

/** What somebody has consented to, or the application by itself. */
export interface Consented {
  readonly organizationId: string;
  /** Who consented; null: client credentials. */
  readonly userId: string | null;
  readonly actor: 'user' | 'app';
  readonly scopes: readonly string[];
  /** Content of a document: nobody is told of it. */
  readonly isSeed?: boolean;
}

/** Where tokens come from. */
export interface TokenOrigin {
  /** Null: client credentials. */
  readonly grantId: string | null;
  readonly isPublic: boolean;
}

/** The answer to a client that is given tokens (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
}

export interface Authorized {
  readonly authorization: OauthAuthorization;
  /** It was authorized there already. */
  readonly again: boolean;
}

/** What applications may do where, and their tokens (docs/reference/tracker-oauth.md#tokens). */
@Injectable()
export class Authorizations {
  constructor(
    private readonly clock: Clock,
    private readonly appUsers: AppUsers,
    private readonly hooks: ApplicationWebhooks,
    private readonly told: InstallationTold,
  ) {}

  /**
   * Authorizes an application, or extends what it holds. The organization is locked: of several at once one is the first,
   * and brings the application's webhook. Null: the organization is gone.
   */
  async authorize(tx: Tx, application: OauthApplication, consented: Consented): Promise<Authorized | null> {
    const { organizationId, userId, actor, scopes, isSeed = false } = consented;
    const organization = await lockOrganization(tx, organizationId);
    if (!organization) return null;
    const again = await tx.sql.existsBy(OauthAuthorization, {
      organizationId,
      applicationId: application.id,
      endedAt: IsNull(),
    });
    const actorId =
      actor === 'app'
        ? (await this.appUsers.activate(tx, organization, application, { scopes, isSeed })).id
        : (userId as string);
    if (!again) await this.hooks.put(tx, { organizationId, tenantId: organization.tenantId }, application);
    const key = { organizationId, applicationId: application.id, userId: actorId };
    const before = await tx.sql.findOneBy(OauthAuthorization, key);
    if (!isSeed)
      this.told.tellAfter(tx, {
        tenantId: organization.tenantId,
        kind: 'install',
        product: 'tracker',
        app_id: application.id,
        app: application.name,
        user: userId,
        scopes: [...scopes].sort(),
        again,
      });
    const now = this.clock.now();
    const values = { scopes: [...scopes], grantedById: userId, updatedAt: now, endedAt: null };
    if (before) {
      await tx.sql.update(OauthAuthorization, { id: before.id }, values);
      return { authorization: { ...before, ...values }, again };
    }
    const authorization = { ...key, ...values, id: newUuid(), actor, createdAt: now };
    await tx.sql.insert(OauthAuthorization, authorization);
    return { authorization, again };
  }

  /** A new access token, and a refresh token with it but for client credentials, whose token before ends at once. */
  async issue(
    tx: Tx,
    { id: authorizationId, organizationId }: Pick<OauthAuthorization, 'id' | 'organizationId'>,
    scopes: readonly string[],
    { grantId, isPublic }: TokenOrigin,
  ): Promise<TokenAnswer> {
    const now = this.clock.nowMicros();
    const seconds = grantId === null ? CLIENT_SECONDS : ACCESS_SECONDS;
    const access = `lin_oauth_${newHex(64)}`;
    const refresh = grantId === null ? undefined : newAlphanumeric(64).toLowerCase();
    if (grantId === null) await this.endClientTokens(tx, authorizationId);
    const common = { authorizationId, organizationId, grantId, scopes: [...scopes], isPublic };
    await tx.sql.insert(OauthToken, {
      ...common,
      hash: sha256Hex(access),
      kind: 'access',
      expiresAt: now + seconds * 1e6,
    });
    if (refresh !== undefined) {
      await tx.sql.insert(OauthToken, { ...common, hash: sha256Hex(refresh), kind: 'refresh', expiresAt: null });
    }
    await tx.query(PRUNE_TOKENS, [authorizationId, KEPT]);
    return {
      access_token: access,
      token_type: 'Bearer',
      // what is left when the answer arrives
      expires_in: seconds - 1,
      scope: [...scopes].sort().join(' '),
      ...(refresh !== undefined && { refresh_token: refresh }),
    };
  }

  /** A refresh token was used: it serves a while longer, for an answer that was lost. */
  async replaced(tx: Tx, { hash, expiresAt }: OauthToken): Promise<void> {
    const end = this.clock.nowMicros() + USED_SECONDS * 1e6;
    await tx.sql.update(OauthToken, { hash }, { expiresAt: Math.min(end, expiresAt ?? end) });
  }

  async endClientTokens(tx: Tx, authorizationId: string): Promise<void> {
    await tx.query(REVOKE_TOKENS, [[], null, authorizationId, this.clock.now()]);
  }
}

/** The organization, locked until the transaction ends: its authorizations change one after the other. */
export const lockOrganization = (tx: Tx, id: string): Promise<Organization | null> =>
  tx.sql.findOne(Organization, { where: { id }, lock: { mode: 'for_no_key_update' } });

/** An authorization, locked before its tokens are: what ends it sees those that are given beside it. */
export const lockAuthorization = (tx: Tx, id: string): Promise<OauthAuthorization | null> =>
  tx.sql.findOne(OauthAuthorization, { where: { id }, lock: { mode: 'for_no_key_update' } });
