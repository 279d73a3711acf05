import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { isAdmin, type Identity } from './identity.js';
import type { MessageApp } from '../wire/message-wire.js';
import type { NewApp } from '../provisioning/beginnings.js';

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
    socketMode: 'socket_mode',
    manifest: 'manifest',
    creatorId: 'creator_id',
    createdAt: 'created_at',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');

/** Which of them are kept encrypted. */
export const APP_SECRETS = { opens: ['signingSecret', 'verificationToken'] } as const;

/** A workspace that was provisioned with an app of its own has no default app; then its oldest stands in. */
const APP = statement(
  'chat_app',
  `SELECT ${appColumns('a')} FROM apps a WHERE a.workspace_id = $1 AND ($2::text IS NULL OR a.id = $2)
   ORDER BY a.is_default DESC, a.created_at, a.id LIMIT 1`,
  APP_SECRETS,
);

const APP_OF_OWNER = statement(
  'chat_app_of_owner',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1 AND a.id = $2`,
  APP_SECRETS,
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
   * The app that a control-plane call acts for: an app token's own; for a person the one it names, else the default app.
   * A person acts for an app as its creator or as an admin: what is added to an app may hear what its tokens may.
   * @throws RestError 404 app_not_found, 403 not_admin
   */
  async of(caller: Identity, named: string | null | undefined): Promise<App> {
    const app = await this.find(caller.workspaceId, caller.app?.id ?? named ?? null);
    if (!app) throw new RestError(404, 'app_not_found');
    if (!caller.app && app.creatorId !== caller.userId && !isAdmin(caller)) throw new RestError(403, 'not_admin');
    return app;
  }

  /** An app for its creator or an admin to change. @throws RestError 404 app_not_found, 403 not_admin */
  async ofOwner(caller: Identity, id: string): Promise<App & { readonly isDefault: boolean }> {
    const [app] = await this.db.read<Row & { isDefault: boolean }>(APP_OF_OWNER, [caller.workspaceId, id]);
    if (!app) throw new RestError(404, 'app_not_found');
    const isPersonAdmin = caller.kind !== 'bot' && isAdmin(caller);
    if (app.creatorId !== caller.userId && !isPersonAdmin) throw new RestError(403, 'not_admin');
    return app;
  }
}

type Row = App & { [column: string]: unknown };
