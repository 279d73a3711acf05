import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { isAdmin, type Identity } from './identity.js';
import type { MessageApp } from '../wire/message-wire.js';
import type { NewApp } from '../store/app.entity.js';
import { APP_BY_BOT, APP_BY_ID, APP_OF_OWNER } from './apps-access.queries.js';

/** An app as it is stored. */
export interface App extends NewApp {
  readonly workspaceId: string;
}

/** Whether an app's bot is there: an app that is only registered, or was uninstalled, has none. */
export const hasBot = ({ botState }: Pick<App, 'botState'>): boolean => botState === 'live';

/** An app as messages show it. */
export const asAuthor = (app: App): MessageApp => ({
  id: app.id,
  name: app.name,
  botId: app.botId,
  botUserId: app.botUserId,
  createdAt: Math.floor(app.createdAt / 1e6),
});

/** Access to apps: those of the caller's workspace. */
@Injectable()
export class AppsAccess {
  constructor(private readonly db: Db) {}

  /** Null when the workspace has no such app. @param id null = the default app */
  async find(workspaceId: string, id: string | null, tx?: Tx): Promise<App | null> {
    const values = [workspaceId, id];
    const [row] = await (tx ? tx.query<Row>(APP_BY_ID, values) : this.db.read<Row>(APP_BY_ID, values));
    return row ?? null;
  }

  /** The app whose bot is this user, if any. */
  async findByBot(workspaceId: string, botUserId: string): Promise<App | null> {
    const [row] = await this.db.read<Row>(APP_BY_BOT, [workspaceId, botUserId]);
    return row ?? null;
  }

  /**
   * The app that a control-plane call acts for: an app token's own; for a person the one it names, else the default
   * app. Only an app's creator and admins may act for it: what is added to an app may receive what its tokens may.
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
    // a guest is changed in its home
    if (app.homeId !== null) throw new RestError(403, 'not_admin');
    const isPersonAdmin = caller.kind !== 'bot' && isAdmin(caller);
    if (app.creatorId !== caller.userId && !isPersonAdmin) throw new RestError(403, 'not_admin');
    return app;
  }
}

type Row = App & { [column: string]: unknown };
