import { botScopesOf } from '../provisioning/agent-manifest.js';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { InstallationEnds } from '../installing/installation-ends.js';
import { Installations } from '../installing/installations.js';
import { PLACES_OF_APP } from '../installing/installing.queries.js';
import { AppsAccess, hasBot, type App } from '../access/apps-access.js';
import { methodsFor, type Identity } from '../access/identity.js';
import { tokensRevoked } from '../events/app-events.js';
import { socketModeOf } from '../provisioning/default-scopes.js';
import type { AppManifest } from '../store/app-manifest.js';
import { readManifest } from '../provisioning/manifest.js';
import { newBotToken, newUserToken } from '../provisioning/initial-values.js';
import { createAppParts, createFreeParts } from '../provisioning/app-parts.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { Handshakes } from '../rest/handshakes.js';
import { UrlVerification } from '../rest/url-verification.js';
import { App as AppRow } from '../store/app.entity.js';
import { SlashCommand } from '../store/slash-command.entity.js';
import { formatTs } from '../store/message-ts.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { toWireApp } from '../wire/control-wire.js';
import { KnownScopes } from './known-scopes.js';
import { REVOKE, RESCOPE } from './app-administration.queries.js';

interface Revoked {
  readonly kind: string;
  readonly userId: string;
}

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
    private readonly installations: Installations,
    private readonly ends: InstallationEnds,
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
    // the app-level token is the registration's
    if (!hasBot(app) && kind !== 'app') throw new RestError(409, 'not_installed');
    const kinds = kind === undefined ? TOKEN_KINDS : [kind];
    // over a socket the app receives what any of its tokens may
    const hears = kinds.includes('app');
    this.scopes.requireGrantable(caller, {
      bot: hears || kinds.includes('bot') ? app.botScopes : [],
      user: hears || kinds.includes('user') ? app.userScopes : [],
    });
    return this.db.write(async (tx) => {
      const revoked = await tx.query<Revoked & Record<string, unknown>>(REVOKE, [
        app.id,
        kinds,
        app.workspaceId,
        app.botUserId,
      ]);
      this.recordRevoked(tx, caller, app, revoked);
      // tokens that are derived from the installation's secret are new ones from now on
      if (kind !== 'app')
        await tx.sql.increment(AppRow, { workspaceId: app.workspaceId, id: app.id }, 'tokenVersion', 1);
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
   * Its tokens answer account_inactive from now on, wherever it was installed; its messages stay.
   * @throws RestError 404 app_not_found, 403 not_admin, 409 cant_delete_default_app
   */
  async remove(caller: Identity, id: string): Promise<void> {
    const app = await this.apps.ofOwner(caller, id);
    if (app.isDefault) throw new RestError(409, 'cant_delete_default_app');
    await this.ends.remove(app.id);
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
    const faults = keptFaults(app.manifest, manifest);
    if (faults.length > 0) throw new BadRequestException(faults.map((fault) => `manifest.${fault}`));
    const changed = await this.change(app, manifest, { rescopes: true });
    return { ...toWireApp(changed, app.workspaceId), ...(warnings.length > 0 ? { warnings } : {}) };
  }

  /**
   * Gives an app another valid manifest, wherever it is.
   * @param options.rescopes false: what was granted at home changes with the next installation, as elsewhere
   * @throws RestError 400 url_verification_failed, 409 command_taken, too_many_…
   */
  async change(
    app: App & { readonly isDefault: boolean },
    manifest: AppManifest,
    { rescopes }: { readonly rescopes: boolean },
  ): Promise<App> {
    const changed = changedBy(app, manifest, app.isDefault);
    // with sockets the URL is not used
    const url = changed.socketMode === 'on' ? undefined : manifest.settings?.event_subscriptions?.request_url;
    const reason = url ? await this.verification.failureOf(url, app, app.workspaceId) : undefined;
    const verified = url !== undefined && reason === undefined;
    if (url && reason !== undefined && this.settings.eventsRequireVerification) {
      this.verification.tell(reason, { url });
      throw new RestError(400, 'url_verification_failed');
    }
    await this.db.write(async (tx) => {
      const places = await tx.query<{ workspaceId: string }>(PLACES_OF_APP, [app.id]);
      for (const { workspaceId } of places) {
        await this.replaceIn(tx, { workspaceId, app, changed, verified, rescopes });
      }
      if (rescopes)
        await tx.query(RESCOPE, [app.id, changed.botScopes, changed.userScopes, app.botUserId, app.workspaceId]);
      await this.counts.check(tx, app.workspaceId, 'commands', 'subscriptions');
    });
    if (url && !verified) await this.handshakes.repeatLater(app.workspaceId, { appId: app.id }, reason);
    return changed;
  }

  /** Another manifest in one workspace; what a bot may do elsewhere than at home changes with its next installation. */
  private async replaceIn(tx: Tx, { workspaceId, app, changed, verified, rescopes }: Replaced): Promise<void> {
    const isHome = workspaceId === app.workspaceId;
    const row = await this.installations.lock(tx, workspaceId, app.id);
    if (!row) return;
    const { name, botScopes, userScopes, interactivityUrl, manifest, socketMode } = changed;
    const scopes = isHome && (rescopes || !hasBot(row)) ? { botScopes, userScopes } : { userScopes };
    const set = { name, interactivityUrl, manifest, socketMode, ...scopes };
    await tx.sql.update(AppRow, { workspaceId, id: app.id }, set);
    if (row.installedAt === null) return;
    const commands = (app.manifest.features?.slash_commands ?? []).map(({ command }) => withSlash(command));
    if (commands.length > 0) await tx.sql.delete(SlashCommand, { workspaceId, appId: app.id, command: In(commands) });
    const oldUrl = app.manifest.settings?.event_subscriptions?.request_url;
    const url = manifest.settings?.event_subscriptions?.request_url;
    await this.installations.removeTargets(tx, workspaceId, app.id, oldUrl ?? '');
    if (url && url !== oldUrl) await this.installations.removeTargets(tx, workspaceId, app.id, url);
    const parts = { ...changed, createdAt: row.createdAt };
    if (isHome) await createAppParts(tx, workspaceId, parts, verified);
    else await createFreeParts(tx, workspaceId, parts, verified);
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
}

/** Another manifest of an app, for one of its places. */
interface Replaced {
  readonly workspaceId: string;
  readonly app: App;
  readonly changed: App;
  readonly verified: boolean;
  readonly rescopes: boolean;
}

const changedBy = (app: App, manifest: AppManifest, isDefault: boolean): App => ({
  ...app,
  name: manifest.display_information.name,
  botScopes: botScopesOf(manifest),
  userScopes: manifest.oauth_config?.scopes?.user ?? [],
  interactivityUrl: manifest.settings?.interactivity?.request_url ?? null,
  manifest,
  socketMode: socketModeOf(manifest, isDefault),
});

/** What cannot be turned off any more, as tokens were issued so; paths within the manifest. */
export function keptFaults(before: AppManifest, after: AppManifest): string[] {
  return [
    ...(before.settings?.token_rotation_enabled && !after.settings?.token_rotation_enabled
      ? ['settings.token_rotation_enabled cannot be turned off']
      : []),
    ...(before.oauth_config?.pkce_enabled && !after.oauth_config?.pkce_enabled
      ? ['oauth_config.pkce_enabled cannot be turned off']
      : []),
  ];
}
