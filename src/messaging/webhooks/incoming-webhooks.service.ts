import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newId } from '../../kernel/ids/ids.js';
import { AppsAccess } from '../access/apps-access.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import { requireOwner, isOwner, isPersonAdmin } from '../rest/ownership.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { HookSecrets } from '../installing/hook-secrets.js';
import type { IncomingWebhookBody } from './webhooks.dto.js';
import { IncomingWebhook } from '../store/incoming-webhook.entity.js';
import { INCOMING_PAGE, type ShownIncomingWebhook } from './webhooks.queries.js';

/** URLs that post into one conversation (docs/reference/control-plane.md#incoming-webhooks). */
@Injectable()
export class IncomingWebhooks {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly secrets: HookSecrets,
    private readonly counts: WorkspaceCounts,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
  ) {}

  /** @throws RestError 404 app_not_found, 403 not_admin, 409 too_many_incoming_webhooks; MessagingError channel_not_found, is_archived */
  async create(caller: Identity, body: IncomingWebhookBody): Promise<object> {
    const app = await this.apps.of(caller, body.app_id);
    const conversation = await this.conversations.findByIdOrName(caller, body.channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    if (conversation.isArchived) throw new MessagingError('is_archived');
    const hook: IncomingWebhook = {
      id: newId('B'),
      workspaceId: caller.workspaceId,
      appId: app.id,
      conversationId: conversation.id,
      name: body.name ?? app.name,
      icons: body.icon_emoji ? { emoji: body.icon_emoji } : body.icon_url ? { image_48: body.icon_url } : null,
      creatorId: caller.userId,
      isOfInstallation: false,
      createdAt: this.clock.nowMicros(),
    };
    await this.db.write(async (tx) => {
      await tx.sql.insert(IncomingWebhook, hook);
      await this.counts.check(tx, caller.workspaceId, 'incoming_webhooks');
    });
    return this.show(caller, { ...hook, channelName: conversation.name });
  }

  /** Those into private conversations are for members and admins; URLs are for those who may post to them. */
  async list(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<ShownIncomingWebhook & { [column: string]: unknown }>(INCOMING_PAGE, [
      caller.workspaceId,
      ...pageValues(page),
      caller.userId,
      isPersonAdmin(caller),
    ]);
    return toPage('webhooks', rows, page, (hook) => this.show(caller, hook));
  }

  /** @throws RestError 404 webhook_not_found, 403 not_admin */
  async remove(caller: Identity, id: string): Promise<void> {
    const { workspaceId } = caller;
    const hook = await this.db.load((entities) => entities.findOneBy(IncomingWebhook, { id, workspaceId }));
    if (!hook) throw new RestError(404, 'webhook_not_found');
    requireOwner(caller, hook);
    await this.db.write((tx) => tx.sql.delete(IncomingWebhook, { id }));
  }

  private show(caller: Identity, hook: ShownIncomingWebhook): object {
    const url = `${this.publicUrl.base}/api/webhooks/incoming/${hook.id}/${this.secrets.of(hook.id)}`;
    return {
      id: hook.id,
      ...(isOwner(caller, hook) ? { url } : {}),
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
