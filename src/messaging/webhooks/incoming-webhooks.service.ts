import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newId } from '../../kernel/ids/ids.js';
import { AppsAccess } from '../model/apps-access.js';
import { MessagingError } from '../model/codes.js';
import { ConversationAccess } from '../model/conversation-access.js';
import type { Identity } from '../model/identity.js';
import { demandOwner } from '../rest/ownership.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import type { IncomingWebhookBody } from './webhooks.dto.js';
import {
  DELETE_INCOMING,
  INCOMING_BY_ID,
  INCOMING_PAGE,
  INSERT_INCOMING,
  type IncomingWebhook,
  type ShownIncomingWebhook,
} from './webhooks.queries.js';

/** URLs that post into one conversation (messaging.md E.4). */
@Injectable()
export class IncomingWebhooks {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
  ) {}

  /** @throws RestError 404 app_not_found; MessagingError channel_not_found, is_archived */
  async create(caller: Identity, body: IncomingWebhookBody): Promise<object> {
    const app = await this.apps.of(caller, body.app_id);
    const conversation = await this.conversations.findByIdOrName(caller, body.channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    if (conversation.isArchived) throw new MessagingError('is_archived');
    const hook: ShownIncomingWebhook = {
      id: newId('B'),
      workspaceId: caller.workspaceId,
      appId: app.id,
      conversationId: conversation.id,
      channelName: conversation.name,
      name: body.name ?? app.name,
      icons: body.icon_emoji ? { emoji: body.icon_emoji } : body.icon_url ? { image_48: body.icon_url } : null,
      creatorId: caller.userId,
      createdAt: this.clock.nowMicros(),
    };
    await this.db.run(INSERT_INCOMING, [
      hook.id,
      hook.workspaceId,
      hook.appId,
      hook.conversationId,
      hook.name,
      hook.icons && JSON.stringify(hook.icons),
      hook.creatorId,
      hook.createdAt,
    ]);
    return this.show(hook);
  }

  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<ShownIncomingWebhook & { [column: string]: unknown }>(INCOMING_PAGE, [
      caller.workspaceId,
      ...pageValues(page),
    ]);
    return toPage('webhooks', rows, page, (hook) => this.show(hook));
  }

  /** @throws RestError 404 webhook_not_found, 403 not_admin */
  async remove(caller: Identity, id: string): Promise<void> {
    const [hook] = await this.db.read<IncomingWebhook & { [column: string]: unknown }>(INCOMING_BY_ID, [
      id,
      caller.workspaceId,
    ]);
    if (!hook) throw new RestError(404, 'webhook_not_found');
    demandOwner(caller, hook);
    await this.db.run(DELETE_INCOMING, [id]);
  }

  private show(hook: ShownIncomingWebhook): object {
    return {
      id: hook.id,
      url: `${this.publicUrl.base}/api/webhooks/incoming/${hook.id}`,
      channel: hook.channelName === null ? hook.conversationId : `#${hook.channelName}`,
      channel_id: hook.conversationId,
      name: hook.name,
      icons: hook.icons ?? {},
      app_id: hook.appId,
      team_id: hook.workspaceId,
      creator: hook.creatorId,
      created: Math.floor(hook.createdAt / 1e6),
    };
  }
}
