import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { type App } from '../access/apps-access.js';
import { toWireApp, type AppTokens } from '../wire/control-wire.js';
import type { AppManifest } from '../store/app-manifest.js';
import { methodsFor, type Identity } from '../access/identity.js';
import { readManifest } from '../provisioning/manifest.js';
import { newAppSecrets, newBotToken, newUserToken, type AppSecrets } from '../provisioning/initial-values.js';
import type { NewApp } from '../store/app.entity.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { NewMembers } from '../members/new-members.js';
import { Handshakes } from '../rest/handshakes.js';
import { isPersonAdmin } from '../rest/ownership.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { KnownScopes } from './known-scopes.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import { UrlVerification } from '../rest/url-verification.js';
import { APPS_PAGE } from './apps.queries.js';

const NO_TOKENS: AppTokens = { bot: null, user: null, app: null };

/** Apps and what their manifests declare (docs/reference/control-plane.md#apps). */
@Injectable()
export class Apps {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly setup: WorkspaceSetup,
    private readonly scopes: KnownScopes,
    private readonly counts: WorkspaceCounts,
    private readonly handshakes: Handshakes,
    private readonly verification: UrlVerification,
    private readonly newMembers: NewMembers,
  ) {}

  /**
   * All or nothing.
   * @param options.strict parts of the manifest without effect are faults, not warnings
   * @param options.install false: it is registered only
   * @throws BadRequestException naming the faulty paths; RestError 403 missing_scope, not_allowed_token_type, 409
   * command_taken, too_many_…, 400 url_verification_failed
   */
  async create(caller: Identity, sent: unknown, options: { strict: boolean; install: boolean }): Promise<object> {
    const read = readManifest(sent, 'manifest');
    if ('faults' in read) throw new BadRequestException(read.faults);
    const warnings = this.warnings(caller, read.manifest);
    if (options.strict && warnings.length > 0) throw new BadRequestException(warnings);
    const { app, tokens } = await this.make(caller, read.manifest, options.install);
    return { ...toWireApp(app, caller.workspaceId, { tokens }), ...(warnings.length > 0 ? { warnings } : {}) };
  }

  /** Parts of a manifest without effect for this caller. */
  warnings(caller: Identity, manifest: AppManifest): string[] {
    return this.scopes.warnings(manifest, methodsFor(caller, this.settings));
  }

  /**
   * Makes an app of a valid manifest.
   * @param install false: it is registered only
   * @throws RestError as `create`
   */
  async make(
    caller: Identity,
    manifest: AppManifest,
    install: boolean,
  ): Promise<{ readonly app: NewApp; readonly tokens: AppTokens }> {
    this.scopes.requireGrantable(caller, manifest.oauth_config?.scopes);
    const secrets = newAppSecrets();
    const url = install ? verifiedUrlOf(manifest) : undefined;
    const reason = url === undefined ? undefined : await this.failureOf(caller.workspaceId, url, secrets);
    const verified = url !== undefined && reason === undefined;
    const made = await this.db.write(async (tx) => {
      const app = await this.setup.createApp(tx, {
        workspaceId: caller.workspaceId,
        manifest,
        creatorId: caller.userId,
        secrets,
        verified,
        isInstalled: install,
      });
      if (install)
        await this.newMembers.recordJoined(tx, { id: caller.workspaceId, tenantId: caller.tenantId }, app.botUserId);
      await this.counts.check(tx, caller.workspaceId, 'apps', 'commands', 'subscriptions');
      return { app, tokens: install ? await this.issueTokens(tx, caller, app) : NO_TOKENS };
    });
    if (install && !verified && manifest.settings?.event_subscriptions?.request_url) {
      await this.handshakes.repeatLater(caller.workspaceId, { appId: made.app.id }, reason);
    }
    return made;
  }

  /** Without tokens; for admins with the secrets that sign requests. */
  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<App & { [column: string]: unknown }>(APPS_PAGE, [
      caller.workspaceId,
      ...pageValues(page),
    ]);
    return toPage('apps', rows, page, (app) =>
      toWireApp(app, caller.workspaceId, { credentials: isPersonAdmin(caller) && app.homeId === null }),
    );
  }

  /** The handshake of the manifest's subscription; before the transaction, which must not wait for an app. */
  private async failureOf(workspaceId: string, url: string, secrets: AppSecrets): Promise<string | undefined> {
    const reason = await this.verification.failureOf(url, secrets, workspaceId);
    if (reason === undefined || !this.settings.eventsRequireVerification) return reason;
    this.verification.tell(reason, { url });
    throw new RestError(400, 'url_verification_failed');
  }

  /** The user token acts as the caller, who is not a bot; null without user scopes. */
  private async issueTokens(tx: Tx, caller: Identity, app: NewApp): Promise<AppTokens> {
    const common = { workspaceId: caller.workspaceId, appId: app.id };
    const bot = newBotToken();
    await this.setup.issueToken(tx, {
      ...common,
      token: bot,
      kind: 'bot',
      userId: app.botUserId,
      scopes: app.botScopes,
    });
    const appLevel = await this.setup.issueAppLevelToken(tx, caller.workspaceId, app);
    if (app.userScopes.length === 0 || caller.kind === 'bot') return { bot, user: null, app: appLevel };
    const { userId } = caller;
    const user = newUserToken();
    await this.setup.issueToken(tx, { ...common, token: user, kind: 'user', userId, scopes: app.userScopes });
    return { bot, user, app: appLevel };
  }
}

/** The address of a manifest's subscription; with sockets it is not used. */
function verifiedUrlOf({ settings }: AppManifest): string | undefined {
  return settings?.socket_mode_enabled === true ? undefined : settings?.event_subscriptions?.request_url || undefined;
}
