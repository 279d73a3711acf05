import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { AppsAccess } from '../access/apps-access.js';
import type { Caller } from '../access/conversation-access.js';
import { UsersAccess } from '../access/users-access.js';
import { Triggers } from '../surfaces/triggers.js';
import { Views, type ViewOwner } from '../surfaces/views.js';
import { MessagingError } from '../wire/codes.js';
import { isTooLarge, type ViewContent } from '../wire/view-content.js';
import type { View } from '../wire/view-wire.js';
import type { ViewsOpenArgs, ViewsPublishArgs, ViewsPushArgs, ViewsUpdateArgs } from './views.dto.js';

/** The calling app; only app tokens get here. */
function appOf(caller: Caller): Omit<ViewOwner, 'userId'> {
  if (!caller.app) throw new MessagingError('not_allowed_token_type');
  return { tenantId: caller.tenantId, workspaceId: caller.workspaceId, appId: caller.app.id, botId: caller.app.botId };
}

function requireSize(content: ViewContent): void {
  if (isTooLarge(content)) throw new MessagingError('view_too_large');
}

/** Views as apps open and change them. */
@Injectable()
export class ViewsService {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly users: UsersAccess,
    private readonly triggers: Triggers,
    private readonly views: Views,
  ) {}

  /** A refused call does not use the trigger up. */
  async open(caller: Caller, args: ViewsOpenArgs): Promise<View> {
    const app = appOf(caller);
    requireSize(args.content);
    return this.db.write(async (tx) => {
      const userId = await this.triggers.exchange(tx, app, args.trigger_id);
      return this.views.open(tx, { ...app, userId }, args.content);
    });
  }

  async push(caller: Caller, args: ViewsPushArgs): Promise<View> {
    const app = appOf(caller);
    requireSize(args.content);
    return this.db.write(async (tx) => {
      const userId = await this.triggers.exchange(tx, app, args.trigger_id);
      return this.views.push(tx, { ...app, userId }, args.content);
    });
  }

  async update(caller: Caller, args: ViewsUpdateArgs): Promise<View> {
    const app = appOf(caller);
    requireSize(args.content);
    const { view_id: id, external_id: externalId } = args;
    return this.db.write((tx) =>
      this.views.update(tx, app, args.content, {
        find: () =>
          id === undefined
            ? this.views.findByExternalId(app, externalId ?? '', tx)
            : this.views.find(app.workspaceId, id, tx),
        hash: args.hash,
      }),
    );
  }

  async publish(caller: Caller, args: ViewsPublishArgs): Promise<View> {
    const app = appOf(caller);
    const user = (await this.users.facts(caller, [args.user_id])).get(args.user_id);
    if (!user || user.isDeleted) {
      const messages = ['[ERROR] invalid user_id'];
      throw new MessagingError('invalid_arguments', { extra: { response_metadata: { messages } } });
    }
    requireSize(args.content);
    const manifest = (await this.apps.find(app.workspaceId, app.appId))?.manifest;
    if (manifest?.features?.app_home?.home_tab_enabled === false) throw new MessagingError('not_enabled');
    return this.db.write((tx) => this.views.publish(tx, { ...app, userId: user.id }, args.content, args.hash));
  }
}
