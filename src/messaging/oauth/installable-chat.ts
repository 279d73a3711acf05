import { Injectable } from '@nestjs/common';
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
import { ConfigTokens } from '../installing/config-tokens.js';
import { toWireInstallation } from '../installing/installation-rows.js';
import { toRestError } from '../rest/rest-errors.js';
import { OauthAccess } from './access.service.js';
import type { ChatGrant } from './chat-consent.js';
import { CHANNELS } from './clients.queries.js';
import { Clients } from './clients.js';
import { CommandsLeftOut } from './commands-left-out.js';
import {
  CONSENTING,
  INSTALLABLE,
  INSTALLATIONS_OF_TENANT,
  type ConsentingRow,
  type InstallationOfTenant,
} from './installable-chat.queries.js';
import { OpenidTokens } from './openid-tokens.service.js';
import { TokenEnds } from './token-ends.js';
import { withoutAt } from '../../kernel/text/names.js';
import { queryText } from '../../oauth/queries.js';

/** Installing the apps of the chat for tests (docs/reference/installing.md#for-tests). */
@Injectable()
export class InstallableChat implements InstallableProduct {
  readonly product = 'chat';
  readonly authorizePaths = ['/oauth/v2/authorize', '/openid/connect/authorize'];
  readonly vendorHosts = ['slack.com'];

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: Clients,
    private readonly codes: OauthCodes,
    private readonly access: OauthAccess,
    private readonly openid: OpenidTokens,
    private readonly leftOut: CommandsLeftOut,
    private readonly tokenEnds: TokenEnds,
    private readonly configTokens: ConfigTokens,
    products: InstallableProducts,
  ) {
    products.register(this);
  }

  async has(tenantId: number): Promise<boolean> {
    const [row] = await this.db.read<ConsentingRow>(CONSENTING, [tenantId, null]);
    return row !== undefined && this.clients.sandboxOf(row)?.methods === 'all';
  }

  async findApp(
    tenantId: number,
    { app, clientId }: { app?: string; clientId?: string },
  ): Promise<InstallableApp | null> {
    const values = [tenantId, app ?? null, clientId ?? null];
    const [row] = await this.db.read<InstallableApp & Record<string, unknown>>(INSTALLABLE, values);
    return row ?? null;
  }

  async authorizeUrl(tenantId: number, { clientId }: InstallableApp, ask: AuthorizeAsk): Promise<string> {
    const { workspaceId: team } = await this.personOf(tenantId, undefined);
    const { scope, user_scope, redirect_uri, state } = ask;
    const query = { client_id: clientId, scope, user_scope, redirect_uri, state, team };
    return `/oauth/v2/authorize?${queryText(query)}`;
  }

  async consentAs(tenantId: number, as: string | undefined, channel: string | undefined): Promise<ConsentAs> {
    const { workspaceId, id, isBot } = await this.personOf(tenantId, as);
    if (id === null) throw new RestError(404, 'user_not_found');
    if (isBot) throw new RestError(400, 'cannot_act_as_bot');
    const fields = { user: id, team: workspaceId };
    if (channel === undefined) return { accountId: id, fields };
    const offered = await this.db.read<{ id: string; name: string }>(CHANNELS, [workspaceId, id]);
    const named = offered.find((one) => one.id === channel || one.name === channel.replace(/^#/, ''));
    if (!named) throw new RestError(404, 'channel_not_found');
    return { accountId: id, fields: { ...fields, channel: named.id } };
  }

  async warnings(tenantId: number, { clientId }: InstallableApp): Promise<readonly string[]> {
    const client = await this.clients.find(clientId);
    const { workspaceId } = await this.personOf(tenantId, undefined);
    const workspace = await this.clients.workspace(workspaceId);
    return client && workspace ? this.leftOut.of(client, [workspace]) : [];
  }

  async redeem(sent: string): Promise<object> {
    const code = await this.codes.find(sent);
    const client = code && (await this.clients.find(code.clientId));
    const workspace = code && (await this.clients.workspace((code.consent as ChatGrant).workspaceId));
    if (!code || !client || !workspace) throw new RestError(400, 'invalid_code');
    const { time } = this.clients.sandboxOf(workspace) ?? { time: null };
    const by = code.kind === 'sign-in' ? this.openid : this.access;
    try {
      return { ok: true, ...(await this.clock.within(time, () => by.redeemUnproven(sent, client, workspace))) };
    } catch (error) {
      throw toRestError(error);
    }
  }

  async installations(tenantId: number): Promise<(object & { client_id: string | null })[]> {
    const rows = await this.db.read<InstallationOfTenant>(INSTALLATIONS_OF_TENANT, [tenantId]);
    return rows.map((row) => ({
      product: 'chat',
      app_id: row.appId,
      client_id: row.clientId,
      name: row.name,
      ...toWireInstallation(row),
    }));
  }

  async endTokens(tenantId: number, how: 'expire' | 'revoke', choice: TokenChoice): Promise<number> {
    if ('token' in choice) return this.tokenEnds.end(tenantId, how, { hash: sha256Hex(choice.token) });
    const { app, kind, user } = choice;
    const userId = user === undefined ? undefined : (await this.personOf(tenantId, user)).id;
    if (userId === null) throw new RestError(404, 'user_not_found');
    return this.tokenEnds.end(tenantId, how, { app, kind, userId });
  }

  async configToken(tenantId: number, user: string | undefined): Promise<object> {
    const { workspaceId, id, isBot } = await this.personOf(tenantId, user);
    if (id === null) throw new RestError(404, 'user_not_found');
    if (isBot) throw new RestError(400, 'cannot_act_as_bot');
    return this.configTokens.issue({ workspaceId, userId: id });
  }

  /** The tenant's workspace, with one of its people, if there is one of the name. @throws RestError 404 team_not_found */
  private async personOf(tenantId: number, as: string | undefined): Promise<ConsentingRow> {
    const named = as === undefined ? null : withoutAt(as);
    const [row] = await this.db.read<ConsentingRow>(CONSENTING, [tenantId, named]);
    if (!row) throw new RestError(404, 'team_not_found');
    return row;
  }
}
