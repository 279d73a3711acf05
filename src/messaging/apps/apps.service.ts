import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { appColumns, type App } from '../model/apps-access.js';
import { toWireApp } from '../model/control-wire.js';
import type { AppManifest } from '../model/default-scopes.js';
import type { Identity } from '../model/identity.js';
import { readManifest } from '../model/manifest.js';
import {
  newAppSecrets,
  newBotToken,
  newUserToken,
  WorkspaceSetup,
  type AppSecrets,
  type NewApp,
} from '../model/workspace-setup.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import { UrlVerification } from '../rest/url-verification.js';

const APPS_PAGE = statement(
  'chat_apps_page',
  `SELECT ${appColumns('a')} FROM apps a
   WHERE a.workspace_id = $1 AND (a.created_at, a.id) >= ($2, $3) ORDER BY a.created_at, a.id LIMIT $4`,
);

const PRIMARY_OWNER = statement(
  'chat_primary_owner',
  `SELECT id FROM users WHERE workspace_id = $1 AND role = 'primary_owner' AND deleted_at IS NULL`,
);

/** Apps and what their manifests bring along (messaging.md E.9). */
@Injectable()
export class Apps {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly setup: WorkspaceSetup,
    private readonly verification: UrlVerification,
  ) {}

  /** All or nothing. @throws BadRequestException naming the faulty paths; RestError 409 command_taken, 400 url_verification_failed */
  async create(caller: Identity, sent: unknown): Promise<object> {
    const read = readManifest(sent, 'manifest');
    if ('faults' in read) throw new BadRequestException(read.faults);
    const secrets = newAppSecrets();
    const verified = await this.verify(read.manifest, secrets);
    const { app, tokens } = await this.db.write(async (tx) => {
      const app = await this.setup.createApp(tx, {
        workspaceId: caller.workspaceId,
        manifest: read.manifest,
        creatorId: caller.userId,
        secrets,
        verified,
      });
      return { app, tokens: await this.issueTokens(tx, caller, app) };
    });
    return toWireApp(app, caller.workspaceId, tokens);
  }

  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<App & { [column: string]: unknown }>(APPS_PAGE, [
      caller.workspaceId,
      ...pageValues(page),
    ]);
    return toPage('apps', rows, page, (app) => toWireApp(app, caller.workspaceId));
  }

  /** The handshake of the manifest's subscription; it comes before the transaction, which must not wait for an app. */
  private async verify(manifest: AppManifest, secrets: AppSecrets): Promise<boolean> {
    const url = manifest.settings?.event_subscriptions?.request_url;
    if (!url) return false;
    const verified = await this.verification.verify(url, secrets);
    if (!verified && this.settings.eventsRequireVerification) throw new RestError(400, 'url_verification_failed');
    return verified;
  }

  /** The user token acts as the creator, for a bot caller as the workspace's primary owner; null without user scopes. */
  private async issueTokens(tx: Tx, caller: Identity, app: NewApp): Promise<{ bot: string; user: string | null }> {
    const common = { workspaceId: caller.workspaceId, appId: app.id };
    const bot = newBotToken();
    await this.setup.issueToken(tx, {
      ...common,
      token: bot,
      kind: 'bot',
      userId: app.botUserId,
      scopes: app.botScopes,
    });
    const userId = caller.kind === 'bot' ? await this.primaryOwner(tx, caller.workspaceId) : caller.userId;
    if (app.userScopes.length === 0 || userId === undefined) return { bot, user: null };
    const user = newUserToken();
    await this.setup.issueToken(tx, { ...common, token: user, kind: 'user', userId, scopes: app.userScopes });
    return { bot, user };
  }

  private async primaryOwner(tx: Tx, workspaceId: string): Promise<string | undefined> {
    const [owner] = await tx.query<{ id: string }>(PRIMARY_OWNER, [workspaceId]);
    return owner?.id;
  }
}
