import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { Identity } from './identity.js';
import type { MessageApp } from './message-wire.js';
import type { NewApp } from './workspace-setup.js';

/** An app as it is stored. */
export interface App extends NewApp {
  readonly workspaceId: string;
}

/** Columns of an app under their property names. */
export const appColumns = (alias: string): string =>
  Object.entries({
    id: 'id',
    workspaceId: 'workspace_id',
    name: 'name',
    botId: 'bot_id',
    botUserId: 'bot_user_id',
    botScopes: 'bot_scopes',
    userScopes: 'user_scopes',
    signingSecret: 'signing_secret',
    verificationToken: 'verification_token',
    interactivityUrl: 'interactivity_url',
    manifest: 'manifest',
    creatorId: 'creator_id',
    createdAt: 'created_at',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');

/** A workspace that was provisioned with an app of its own has no default app; then its oldest stands in. */
const APP = statement(
  'chat_app',
  `SELECT ${appColumns('a')} FROM apps a WHERE a.workspace_id = $1 AND ($2::text IS NULL OR a.id = $2)
   ORDER BY a.is_default DESC, a.created_at, a.id LIMIT 1`,
);

/** An app as its messages show it. */
export const asAuthor = (app: App): MessageApp => ({
  id: app.id,
  name: app.name,
  botId: app.botId,
  botUserId: app.botUserId,
  createdAt: Math.floor(app.createdAt / 1e6),
});

/** The door to apps: those of the caller's workspace. */
@Injectable()
export class AppsAccess {
  constructor(private readonly db: Db) {}

  /** Null when the workspace has no such app. @param id null = the default app */
  async find(workspaceId: string, id: string | null, tx?: Tx): Promise<App | null> {
    const values = [workspaceId, id];
    const [row] = await (tx ? tx.query<Row>(APP, values) : this.db.read<Row>(APP, values));
    return row ?? null;
  }

  /**
   * The app that a control-plane call is about: an app token's own; for a person the one it names, else the default app.
   * @throws RestError 404 app_not_found
   */
  async of(caller: Identity, named: string | null | undefined): Promise<App> {
    const app = await this.find(caller.workspaceId, caller.app?.id ?? named ?? null);
    if (!app) throw new RestError(404, 'app_not_found');
    return app;
  }
}

type Row = App & { [column: string]: unknown };
