import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { methodsFor, type Identity } from '../access/identity.js';
import { appUninstalled, tokensRevoked } from '../events/app-events.js';
import { socketModeOf, type AppManifest } from '../provisioning/default-scopes.js';
import { readManifest } from '../provisioning/manifest.js';
import { newBotToken, newUserToken } from '../provisioning/initial-values.js';
import { createAppParts } from '../provisioning/app-parts.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { Handshakes } from '../rest/handshakes.js';
import { UrlVerification } from '../rest/url-verification.js';
import { EventTarget } from '../events/event-target.entity.js';
import { App as AppRow } from '../store/app.entity.js';
import { SlashCommand } from '../store/slash-command.entity.js';
import { Token } from '../store/token.entity.js';
import { User } from '../store/user.entity.js';
import { IncomingWebhook } from '../store/incoming-webhook.entity.js';
import { formatTs } from '../store/message-ts.js';
import { WorkspaceCounts } from '../store/workspace-counts.js';
import { toWireApp } from '../wire/control-wire.js';
import { KnownScopes } from './known-scopes.js';
import { REVOKE, UNDER_WAY, RESCOPE, TARGETS } from './app-administration.queries.js';

interface Revoked {
  readonly kind: string;
  readonly userId: string;
}

/** How long the deletion of an app waits for its last deliveries. */
const UNINSTALL_NOTICE_MS = 1_000;

export const TOKEN_KINDS = ['bot', 'user', 'app'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

const withSlash = (command: string): string => (command.startsWith('/') ? command : `/${command}`);

/** Management of an existing app by its creator and admins: new tokens, another manifest, deletion. */
@Injectable()
export class AppAdministration {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly engine: DeliveryEngine,
    private readonly apps: AppsAccess,
    private readonly setup: WorkspaceSetup,
    private readonly scopes: KnownScopes,
    private readonly counts: WorkspaceCounts,
    private readonly handshakes: Handshakes,
    private readonly verification: UrlVerification,
  ) {}

  /**
   * Replaces tokens; the old ones are revoked at once. The user token acts as the caller, so only the creator may
   * replace it: an app receives what its user tokens may, and its creator decides where that is sent.
   * @param kind absent: all
   * @throws RestError 404 app_not_found, 403 not_admin, missing_scope, not_allowed_token_type
   */
  async rotate(caller: Identity, id: string, kind: TokenKind | undefined): Promise<object> {
    const app = await this.apps.ofOwner(caller, id);
    const kinds = kind === undefined ? TOKEN_KINDS : [kind];
    // over a socket the app receives what any of its tokens may
    const hears = kinds.includes('app');
    this.scopes.requireGrantable(caller, {
      bot: hears || kinds.includes('bot') ? app.botScopes : [],
      user: hears || kinds.includes('user') ? app.userScopes : [],
    });
    return this.db.write(async (tx) => {
      const revoked = await tx.query<Revoked & Record<string, unknown>>(REVOKE, [app.id, kinds]);
      this.recordRevoked(tx, caller, app, revoked);
      // tokens that are derived from the installation's secret are new ones from now on
      if (kind !== 'app') await tx.sql.increment(AppRow, { id: app.id }, 'tokenVersion', 1);
      const bot = kinds.includes('bot') ? await this.issue(tx, app, 'bot', app.botUserId) : null;
      const isMine = caller.kind !== 'bot' && caller.userId === app.creatorId;
      const hasUserToken = kinds.includes('user') && app.userScopes.length > 0 && isMine;
      const user = hasUserToken ? await this.issue(tx, app, 'user', caller.userId) : null;
      const own = kinds.includes('app') ? await this.setup.issueAppLevelToken(tx, app.workspaceId, app) : null;
      return {
        ...(bot === null ? {} : { bot_token: bot }),
        ...(user === null ? {} : { user_token: user }),
        ...(own === null ? {} : { app_token: own }),
      };
    });
  }

  /**
   * Its tokens answer account_inactive from now on; its messages stay.
   * @throws RestError 404 app_not_found, 403 not_admin, 409 cant_delete_default_app
   */
  async remove(caller: Identity, id: string): Promise<void> {
    const app = await this.apps.ofOwner(caller, id);
    if (app.isDefault) throw new RestError(409, 'cant_delete_default_app');
    await this.announceUninstall(caller, app);
    await this.db.write(async (tx) => {
      await this.removeTargets(tx, app.id, null);
      await tx.sql.delete(SlashCommand, { appId: app.id });
      await tx.sql.delete(IncomingWebhook, { appId: app.id });
      const gone = { deletedAt: () => 'now()', updatedAt: this.clock.nowMicros() };
      await tx.sql.update(User, { workspaceId: app.workspaceId, id: app.botUserId }, gone);
      await tx.sql.delete(AppRow, { id: app.id });
    });
  }

  /**
   * All or nothing. Tokens and secrets stay, with the new scopes; commands and the subscription of the old manifest are
   * replaced by those of the new one.
   * @throws BadRequestException naming the faulty paths; RestError as for a new app
   */
  async replaceManifest(caller: Identity, id: string, sent: unknown, strict: boolean): Promise<object> {
    const app = await this.apps.ofOwner(caller, id);
    const read = readManifest(sent, 'manifest');
    if ('faults' in read) throw new BadRequestException(read.faults);
    const { manifest } = read;
    const warnings = this.scopes.warnings(manifest, methodsFor(caller, this.settings));
    if (strict && warnings.length > 0) throw new BadRequestException(warnings);
    this.scopes.requireGrantable(caller, manifest.oauth_config?.scopes);
    const changed = changedBy(app, manifest, app.isDefault);
    // with sockets the URL is not used
    const url = changed.socketMode === 'on' ? undefined : manifest.settings?.event_subscriptions?.request_url;
    const verified = url ? await this.verification.verify(url, app, app) : false;
    if (url && !verified && this.settings.eventsRequireVerification)
      throw new RestError(400, 'url_verification_failed');
    await this.db.write(async (tx) => {
      const before = app.manifest;
      const commands = (before.features?.slash_commands ?? []).map(({ command }) => withSlash(command));
      if (commands.length > 0) await tx.sql.delete(SlashCommand, { appId: app.id, command: In(commands) });
      const oldUrl = before.settings?.event_subscriptions?.request_url;
      await this.removeTargets(tx, app.id, oldUrl ?? '');
      if (url && url !== oldUrl) await this.removeTargets(tx, app.id, url);
      const { name, botScopes, userScopes, interactivityUrl, socketMode } = changed;
      await tx.sql.update(
        AppRow,
        { id: app.id },
        { name, botScopes, userScopes, interactivityUrl, manifest, socketMode },
      );
      await tx.query(RESCOPE, [app.id, changed.botScopes, changed.userScopes]);
      await createAppParts(tx, app.workspaceId, changed, verified);
      await this.counts.check(tx, app.workspaceId, 'commands', 'subscriptions');
    });
    if (url && !verified) await this.handshakes.repeatLater(app.workspaceId, { appId: app.id });
    return { ...toWireApp(changed, app.workspaceId), ...(warnings.length > 0 ? { warnings } : {}) };
  }

  /**
   * Announces the deletion to the app while it still has targets, and waits a moment until it was sent, not for the
   * response.
   */
  private async announceUninstall(caller: Identity, app: App): Promise<void> {
    const targets = await this.db.read(TARGETS, [app.id, null]);
    const events = await this.db.write(async (tx) => {
      const place = { tenantId: caller.tenantId, workspaceId: app.workspaceId };
      tx.record(appUninstalled({ ...place, appId: app.id, eventTs: formatTs(this.clock.nowMicros()) }));
      this.recordRevoked(tx, caller, app, await tx.sql.findBy(Token, { appId: app.id, revokedAt: IsNull() }));
      return tx.events;
    });
    if (targets.length === 0) return;
    const ids = events.map(({ recorded }) => recorded.id);
    const until = performance.now() + UNINSTALL_NOTICE_MS;
    while (performance.now() < until && (await this.db.read(UNDER_WAY, [ids])).length > 0) {
      await new Promise((again) => setTimeout(again, 20));
    }
  }

  private recordRevoked(tx: Tx, { tenantId }: Identity, app: App, tokens: readonly Revoked[]): void {
    const of = (kind: string): string[] => [
      ...new Set(tokens.filter((token) => token.kind === kind).map(({ userId }) => userId)),
    ];
    const [userIds, botUserIds] = [of('user'), of('bot')];
    if (userIds.length + botUserIds.length === 0) return;
    const eventTs = formatTs(this.clock.nowMicros());
    tx.record(tokensRevoked({ tenantId, workspaceId: app.workspaceId, appId: app.id, userIds, botUserIds, eventTs }));
  }

  private async issue(tx: Tx, app: App, kind: 'bot' | 'user', userId: string): Promise<string> {
    const token = kind === 'bot' ? newBotToken() : newUserToken();
    const scopes = kind === 'bot' ? app.botScopes : app.userScopes;
    await this.setup.issueToken(tx, { token, kind, workspaceId: app.workspaceId, appId: app.id, userId, scopes });
    return token;
  }

  private async removeTargets(tx: Tx, appId: string, url: string | null): Promise<void> {
    const ids = (await tx.query<{ id: string }>(TARGETS, [appId, url])).map((target) => target.id);
    if (ids.length === 0) return;
    await tx.sql.delete(EventTarget, ids);
    await this.engine.remove(tx, ids);
  }
}

const changedBy = (app: App, manifest: AppManifest, isDefault: boolean): App => ({
  ...app,
  name: manifest.display_information.name,
  botScopes: manifest.oauth_config?.scopes?.bot ?? [],
  userScopes: manifest.oauth_config?.scopes?.user ?? [],
  interactivityUrl: manifest.settings?.interactivity?.request_url ?? null,
  manifest,
  socketMode: socketModeOf(manifest, isDefault),
});
