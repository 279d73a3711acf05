import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { InstallationTold } from '../../kernel/sandbox/installation-told.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { SentOnce } from '../../webhooks/sent-once.js';
import type { Organization } from '../store/organization.entity.js';
import { AppUsers } from './app-users.js';
import { applicationEvent, type OauthTenant } from '../events/application-events.js';
import { ApplicationWebhooks } from './application-webhooks.js';
import { lockAuthorization, lockOrganization } from './authorizations.js';
import { ORPHANS, ORGANIZATIONS_OF_APPLICATION, REVOKE_TOKENS } from './authorizations.queries.js';
import { OauthApplication } from '../store/oauth-application.entity.js';
import { OauthAuthorization } from './oauth-authorization.entity.js';
import { OauthToken } from './oauth-token.entity.js';

const EVERY_MS = 60_000;

/** An application in one organization. */
interface Authorized extends OauthTenant {
  readonly applicationId: string;
}

/** Ends what applications may do (docs/reference/tracker-oauth.md#ends). */
@Injectable()
export class AuthorizationEnds {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly appUsers: AppUsers,
    private readonly hooks: ApplicationWebhooks,
    private readonly sent: SentOnce,
    private readonly told: InstallationTold,
    resets: SandboxResets,
    upkeep: Upkeep,
  ) {
    resets.onAppsWent(() => this.endOrphans());
    upkeep.register('ending authorizations of applications that are gone', EVERY_MS, () => this.endOrphans());
  }

  /**
   * Ends authorizations of an application in an organization with all their tokens; with the last one it learns of that
   * by one attempt, and its webhook goes. @param authorizationId one; absent: all
   * @returns false where there was nothing to end
   */
  async end(
    { organizationId, applicationId }: Omit<Authorized, 'tenantId'>,
    authorizationId?: string,
  ): Promise<boolean> {
    const ended = await this.db.write(async (tx) => {
      const organization = await lockOrganization(tx, organizationId);
      if (!organization) return null;
      const live = await tx.sql.findBy(OauthAuthorization, { organizationId, applicationId, endedAt: IsNull() });
      const ending = live.filter(({ id }) => authorizationId === undefined || id === authorizationId);
      if (ending.length === 0) return null;
      await this.endAll(tx, organization, ending);
      const isLast = ending.length === live.length;
      const application = await tx.sql.findOneBy(OauthApplication, { id: applicationId });
      for (const { actor, userId } of ending)
        this.told.tellAfter(tx, {
          tenantId: organization.tenantId,
          kind: 'uninstall',
          product: 'tracker',
          app_id: applicationId,
          app: application?.name ?? '',
          user: actor === 'app' ? null : userId,
        });
      const at = { organizationId, tenantId: organization.tenantId, applicationId, at: this.clock.now() };
      if (isLast) tx.record(applicationEvent('OAuthApp', 'revoked', at));
      return { isLast, events: tx.events.map(({ recorded }) => recorded) };
    });
    if (!ended) return false;
    if (ended.isLast) {
      await this.sent.until(ended.events.map(({ id }) => id));
      await this.db.write(async (tx) => {
        await lockOrganization(tx, organizationId);
        // it may be authorized again by now
        const isLive = await tx.sql.existsBy(OauthAuthorization, { organizationId, applicationId, endedAt: IsNull() });
        if (!isLive) await this.hooks.remove(tx, organizationId, applicationId);
      });
    }
    return true;
  }

  /** A code was used twice: the tokens that go back to it end, and with its last tokens the authorization. */
  async endGrant(grantId: string): Promise<void> {
    const authorization = await this.db.write(async (tx) => {
      const id = (await tx.sql.findOneBy(OauthToken, { grantId }))?.authorizationId;
      if (id === undefined) return null;
      const holder = await lockAuthorization(tx, id);
      await tx.query(REVOKE_TOKENS, [[], grantId, null, this.clock.now()]);
      const isHeld = await tx.sql.existsBy(OauthToken, { authorizationId: id, revokedAt: IsNull() });
      return isHeld ? null : holder;
    });
    if (authorization) await this.end(authorization, authorization.id);
  }

  /** Everywhere: its registration goes. */
  async endEverywhere(applicationId: string): Promise<void> {
    const organizations = await this.db.read<OauthTenant & Record<string, unknown>>(ORGANIZATIONS_OF_APPLICATION, [
      applicationId,
    ]);
    for (const { organizationId } of organizations) await this.end({ organizationId, applicationId });
  }

  private async endOrphans(): Promise<void> {
    for (const authorized of await this.db.read<Authorized & Record<string, unknown>>(ORPHANS))
      await this.end(authorized);
  }

  private async endAll(tx: Tx, organization: Organization, ending: readonly OauthAuthorization[]): Promise<void> {
    const ids = ending.map(({ id }) => id);
    const now = this.clock.now();
    await tx.sql.update(OauthAuthorization, { id: In(ids) }, { endedAt: now, updatedAt: now });
    await tx.query(REVOKE_TOKENS, [ids, null, null, now]);
    for (const { actor, userId } of ending)
      if (actor === 'app') await this.appUsers.deactivate(tx, organization, userId);
  }
}
