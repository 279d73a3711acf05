import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import {
  InstallableProducts,
  type AuthorizeAsk,
  type ConsentAs,
  type InstallableApp,
  type InstallableProduct,
  type TokenChoice,
} from '../../oauth/installable-products.js';
import { OauthCodes } from '../../oauth/oauth-codes.js';
import { AuthorizationEnds } from './authorization-ends.js';
import {
  CONSENTING,
  INSTALLABLE,
  INSTALLATIONS,
  TOKENS,
  type ConsentingRow,
  type InstallationRow,
  type TokenRow,
} from './installable-tracker.queries.js';
import { OauthClients } from './oauth-clients.js';
import { OauthError } from './oauth-error.js';
import { OauthToken } from './oauth-token.entity.js';
import { TokenService } from './token.service.js';
import type { TrackerGrant } from './tracker-consent.js';
import { withoutAt } from '../../kernel/text/names.js';
import { queryText } from '../../oauth/queries.js';

/** Where people are sent who let a default application in without a URL of its own. */
const LOOPBACK = 'http://localhost/';

/** Authorizing applications for tests (docs/reference/installing.md#for-tests). */
@Injectable()
export class InstallableTracker implements InstallableProduct {
  readonly product = 'tracker';
  readonly authorizePaths = ['/oauth/authorize'];
  readonly vendorHosts = ['linear.app'];

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: OauthClients,
    private readonly codes: OauthCodes,
    private readonly tokens: TokenService,
    private readonly ends: AuthorizationEnds,
    products: InstallableProducts,
  ) {
    products.register(this);
  }

  async has(tenantId: number): Promise<boolean> {
    return (await this.db.read(CONSENTING, [tenantId, null])).length > 0;
  }

  async findApp(
    tenantId: number,
    { app, clientId }: { app?: string | undefined; clientId?: string | undefined },
  ): Promise<InstallableApp | null> {
    const values = [tenantId, app ?? null, clientId ?? null];
    const [row] = await this.db.read<InstallableApp & Record<string, unknown>>(INSTALLABLE, values);
    return row ?? null;
  }

  async authorizeUrl(tenantId: number, { clientId }: InstallableApp, ask: AuthorizeAsk): Promise<string> {
    const { urlKey: organization } = await this.personOf(tenantId, undefined);
    const client = await this.clients.find(clientId);
    const { scope, actor, state, redirect_uri = client?.redirectUris[0] ?? LOOPBACK } = ask;
    const query = { client_id: clientId, response_type: 'code', redirect_uri, scope, actor, state, organization };
    return `/oauth/authorize?${queryText(query)}`;
  }

  async consentAs(tenantId: number, as: string | undefined): Promise<ConsentAs> {
    const { organizationId, accountId, isBot } = await this.personOf(tenantId, as);
    if (accountId === null) throw new RestError(404, 'user_not_found');
    if (isBot) throw new RestError(400, 'cannot_act_as_bot');
    return { accountId, fields: { team: organizationId } };
  }

  warnings(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  async redeem(sent: string): Promise<object> {
    const code = await this.codes.find(sent);
    const client = code && (await this.clients.find(code.clientId));
    const [place] = code ? await this.clients.places({ id: (code.consent as TrackerGrant).organizationId }) : [];
    if (!client || !place) throw new RestError(400, 'invalid_grant');
    try {
      return await this.clock.within(place.sandbox?.time, () => this.tokens.redeemUnproven(client, sent));
    } catch (error) {
      throw error instanceof OauthError ? new RestError(error.status, error.code) : error;
    }
  }

  async installations(tenantId: number): Promise<(object & { client_id: string | null })[]> {
    const rows = await this.db.read<InstallationRow>(INSTALLATIONS, [tenantId]);
    return rows.map((row) => ({
      product: 'tracker',
      app_id: row.appId,
      client_id: row.clientId,
      name: row.name,
      organization_id: row.organizationId,
      app_user_id: row.appUserId,
      scopes: { app: row.appScopes, user: row.userScopes },
      users: row.users,
      installed: row.installed,
      home: row.home,
    }));
  }

  async endTokens(tenantId: number, how: 'expire' | 'revoke', choice: TokenChoice): Promise<number> {
    const found = await this.tokensOf(tenantId, choice);
    if (found.length === 0) throw new RestError(404, 'token_not_found');
    const { sandbox = null } = (await this.clients.places({ id: found[0]?.organizationId }))[0] ?? {};
    await this.clock.within(sandbox?.time, async () => {
      if (how === 'expire') {
        const values = { expiresAt: this.clock.nowMicros() };
        await this.db.write((tx) => tx.sql.update(OauthToken, { hash: In(found.map(({ hash }) => hash)) }, values));
        return;
      }
      const ending = new Map(found.map((row) => [row.authorizationId, row]));
      for (const [id, { organizationId, applicationId }] of ending)
        await this.ends.end({ organizationId, applicationId }, id);
    });
    return found.length;
  }

  private async tokensOf(tenantId: number, choice: TokenChoice): Promise<TokenRow[]> {
    if ('token' in choice) return this.db.read<TokenRow>(TOKENS, [tenantId, sha256Hex(choice.token), null, null, null]);
    const { app, kind, user } = choice;
    const userId = user === undefined ? null : (await this.personOf(tenantId, user)).userId;
    if (user !== undefined && userId === null) throw new RestError(404, 'user_not_found');
    return this.db.read<TokenRow>(TOKENS, [tenantId, null, app, kind, userId]);
  }

  /** The tenant's organization, with one of its people, if there is one of the name. @throws RestError 404 organization_not_found */
  private async personOf(tenantId: number, as: string | undefined): Promise<ConsentingRow> {
    const named = as === undefined ? null : withoutAt(as);
    const [row] = await this.db.read<ConsentingRow>(CONSENTING, [tenantId, named]);
    if (!row) throw new RestError(404, 'organization_not_found');
    return row;
  }
}
