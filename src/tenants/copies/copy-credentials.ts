import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../../auth/access-tokens.js';
import { Sessions } from '../../auth/sessions.js';
import { Clock } from '../../kernel/clock/clock.js';
import { drawnForStatement } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import { tokenRows } from '../../messaging/provisioning/bulk-rows.js';
import { keyRows, newApiKey } from '../../tracker/provisioning/setup.js';
import { OauthApplication } from '../../tracker/store/oauth-application.entity.js';
import { orgClaimOf } from '../org-claim.js';
import { toSeededApp, tokensOf, type Halves } from '../seeds/app-credentials.js';
import type { KnownApp, Seeded, SeededApplication, SeededUser } from '../seeds/known-objects.js';
import type { SandboxCredentials } from '../seeds/new-sandbox.js';
import { SeedApplications, shownApplication } from '../seeds/seed-applications.js';
import { SeedHooks } from '../seeds/seed-hooks.js';
import type { CopiedTenant, Grant } from './copying.js';
import { CONTENT_OF_COPY, OPEN_COPY, type ContentOfCopy } from './copies.queries.js';

/** How long the access tokens of its people live, in seconds. */
const ACCESS_TOKEN_SECONDS = 86_400;

/** New credentials for everyone and everything in a copy: it is read with one statement, and they are stored with one. */
@Injectable()
export class CopyCredentials {
  constructor(
    private readonly clock: Clock,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly hooks: SeedHooks,
    private readonly applications: SeedApplications,
  ) {}

  async open(
    tx: Tx,
    copied: CopiedTenant,
    made: { readonly controlToken: string; readonly password: string | null },
  ): Promise<{ readonly credentials: SandboxCredentials; readonly hasScript: boolean }> {
    const { workspaceId, organizationId, adminId, tenantId } = copied;
    const [content] = await tx.query<ContentOfCopy>(CONTENT_OF_COPY, [tenantId, workspaceId, organizationId]);
    const { people, channels, teams, hasScript, ...found } = content as ContentOfCopy;
    const apps = found.apps.map((app) => ({
      ...app,
      signingSecret: tx.secrets.open(app.signingSecret),
      verificationToken: tx.secrets.open(app.verificationToken),
      clientSecret: copied.clientSecrets.get(app.id) ?? '',
    }));
    const tokens = apps.map((app) => tokensOf(app, adminId, {}, this.halvesOf(copied.grants.get(app.id), people)));
    const owner = people.find(({ id }) => id === adminId)?.trackerId;
    const key = organizationId !== null && owner ? newApiKey() : '';
    const users = people.filter(({ id }) => id !== adminId);
    const claims = { team_id: workspaceId, ...(organizationId === null ? {} : { org: orgClaimOf(organizationId) }) };
    const sessions = this.sessions.prepare(
      users.map(({ id }) => id),
      claims,
      { seconds: ACCESS_TOKEN_SECONDS },
    );
    await tx.query(OPEN_COPY, [
      workspaceId,
      JSON.stringify(tokenRows(tokens.flatMap(({ stored }) => stored))),
      organizationId,
      JSON.stringify(keyRows(owner && key ? [{ userId: owner, label: 'default', token: key }] : [])),
      this.clock.now(),
      drawnForStatement(),
      ...sessions.values,
      JSON.stringify(copied.unstored?.secrets ?? []),
      adminId,
      copied.unstored?.passwordHash ?? null,
    ]);
    const first = apps[0] as KnownApp;
    const firstTokens = (tokens[0] as (typeof tokens)[number]).plaintext;
    const shown: Record<string, SeededUser> = {};
    for (const [i, { name, id, trackerId }] of users.entries()) {
      const token = { accountId: id, sid: sessions.sids[i] as string, claims };
      const accessToken = await this.accessTokens.issue(token, ACCESS_TOKEN_SECONDS);
      shown[name] = { user_id: id, access_token: accessToken, tracker_user_id: trackerId };
    }
    const credentials = {
      control_token: made.controlToken,
      bot_token: firstTokens.bot as string,
      user_token: firstTokens.user,
      app_token: firstTokens.appLevel,
      app_id: first.id,
      bot_user_id: first.botUserId,
      bot_id: first.botId,
      signing_secret: first.signingSecret,
      verification_token: first.verificationToken,
      client_id: first.clientId,
      client_secret: first.clientSecret ?? null,
      api_key: key,
      admin: { user_id: adminId, email: copied.adminEmail, password: made.password },
      users: shown,
      channels: Object.fromEntries(channels.map(({ name, id }) => [name, id])),
      apps: Object.fromEntries(
        apps.flatMap((app, i) =>
          app.isDefault ? [] : [[app.name, toSeededApp(app, (tokens[i] as (typeof tokens)[number]).plaintext)]],
        ),
      ),
      teams: Object.fromEntries(teams.map(({ name, id }) => [name, { id }])),
      tracker_apps: await this.applicationsOf(tx, copied, found.applications),
      refs: this.refsOf(tx, found.refs),
    };
    return { credentials, hasScript };
  }

  /** The people who consented, with new tokens of the kind that they had. */
  private halvesOf(grant: Grant | undefined, people: ContentOfCopy['people']): Halves | undefined {
    if (!grant) return undefined;
    const granted = people.filter(({ id }) => grant.people.has(id));
    const idOf = (name: string): string => granted.find((one) => one.name === name)?.id as string;
    return {
      users: granted.length > 0 ? granted.map(({ name }) => name) : undefined,
      forOwner: grant.hasOwnToken,
      scopesOf: (name) => grant.people.get(idOf(name)) as readonly string[],
      personId: idOf,
      isRotating: grant.isRotating,
      now: this.clock.nowMicros(),
    };
  }

  /** With new tokens of what was authorized last. */
  private async applicationsOf(
    tx: Tx,
    { organizationId, clientSecrets }: CopiedTenant,
    found: ContentOfCopy['applications'],
  ): Promise<Seeded['tracker_apps']> {
    const shown: Record<string, SeededApplication> = {};
    for (const { newest, webhookSecret, ...application } of found) {
      const { id, name } = application;
      shown[name] = {
        ...shownApplication({ ...application, clientSecret: clientSecrets.get(id) ?? '' }),
        webhook_secret: webhookSecret === null ? null : tx.secrets.open(webhookSecret),
      };
      if (organizationId === null || newest === null) continue;
      const { userId, grantedById, actor, scopes } = newest;
      const consented = { organizationId, userId: actor === 'app' ? grantedById : userId, actor, scopes, isSeed: true };
      const opened = await tx.sql.findOneByOrFail(OauthApplication, { id });
      Object.assign(shown[name], await this.applications.open(tx, opened, consented));
    }
    return shown;
  }

  private refsOf(tx: Tx, refs: ContentOfCopy['refs']): Seeded['refs'] {
    return Object.fromEntries(
      refs.map(({ ref, thing, url, secret }) => [
        ref,
        {
          ...thing,
          ...(thing.id?.startsWith('B') ? { url: this.hooks.urlOf(thing.id) } : {}),
          ...(url === null ? {} : { url, secret: secret === null ? null : tx.secrets.open(secret) }),
        },
      ]),
    );
  }
}
