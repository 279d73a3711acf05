import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { Limits, scaled, type Policy } from '../../kernel/limits/limits.js';
import { ChatService } from '../chat/chat.service.js';
import { MessagingError } from '../model/codes.js';
import { TIERS } from '../rpc/tier.guard.js';
import { PayloadError, readMessage, readPayload } from '../rest/message-payload.js';
import { HOOK_TO_POST, type PostedHook } from './webhooks.queries.js';

/** A refusal of a post: plain text, as in the table of messaging.md E.4. */
export class HookRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(code);
  }
}

/** Posts what is sent to an incoming webhook's URL (messaging.md E.4). */
@Injectable()
export class IncomingPosts {
  private readonly policy: Policy | null;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Settings,
    private readonly db: Db,
    private readonly limits: Limits,
    private readonly chat: ChatService,
  ) {
    this.policy = scaled(TIERS.special, settings.rateLimitMultiplier);
  }

  /** @throws HookRefusal */
  async post(id: string, body: Buffer | undefined, contentType: string | undefined): Promise<void> {
    const [hook] = await this.db.read<PostedHook & { [column: string]: unknown }>(HOOK_TO_POST, [id]);
    if (!hook) throw new HookRefusal(404, 'no_service');
    await this.demandAllowance(hook);
    try {
      const message = readMessage(readPayload(body, contentType));
      await this.send(hook, message);
    } catch (error) {
      if (error instanceof PayloadError) throw new HookRefusal(400, error.code);
      if (!(error instanceof MessagingError)) throw error;
      if (error.code === 'is_archived') throw new HookRefusal(410, 'channel_is_archived');
      throw new HookRefusal(error.code === 'channel_not_found' ? 404 : 400, error.code);
    }
  }

  private async send(hook: PostedHook, message: ReturnType<typeof readMessage>): Promise<void> {
    if (hook.conversationType === null) throw new MessagingError('channel_not_found');
    const scene = {
      tenantId: hook.tenantId,
      workspaceId: hook.workspaceId,
      conversation: { id: hook.conversationId, type: hook.conversationType },
    };
    const { threadTs, broadcast, ...content } = message;
    await this.chat.post(scene, {
      author: {
        app: {
          id: hook.appId,
          name: hook.appName,
          botId: hook.appBotId,
          botUserId: hook.appBotUserId,
          createdAt: Math.floor(hook.appCreatedAt / 1e6),
        },
        custom: { botId: hook.id, username: hook.name, icons: hook.icons ?? undefined },
      },
      content,
      memberId: null,
      threadTs,
      broadcast,
    });
  }

  private async demandAllowance(hook: PostedHook): Promise<void> {
    if (!this.policy) return;
    const { allowed, retryAfterMs } = await this.limits.take(`incoming-webhook:${hook.id}`, this.policy);
    if (!allowed) throw new HookRefusal(429, 'rate_limited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  }
}
