import type { FastifyReply, FastifyRequest } from 'fastify';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Calls } from '../../kernel/http/calls.js';
import { Limits, scaled } from '../../kernel/limits/limits.js';
import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { ChatService } from '../chat/chat.service.js';
import { MessagingError } from '../wire/codes.js';
import { isOwner, isPersonAdmin } from '../rest/ownership.js';
import { Credentials, isJwt } from '../rpc/credentials.js';
import { bearer } from '../../kernel/http/bearer.js';
import { iconsOf } from '../wire/emoji-pictures.js';
import { hookCall, hookFaults } from '../rpc/journal.js';
import { TIERS } from '../rpc/tiers.js';
import { PayloadError, readMessage, readPayload } from '../rest/message-payload.js';
import { HookSecrets } from '../installing/hook-secrets.js';
import { HOOK_TO_POST, INCOMING_IS_LISTED, type PostedHook } from './webhooks.queries.js';

/** A refusal of a post: plain text, as in the table of docs/reference/control-plane.md#incoming-webhooks. */
export class HookRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(code);
  }
}

/** Posts a message to an incoming webhook's URL (docs/reference/control-plane.md#incoming-webhooks). */
@Injectable()
export class IncomingPosts {
  constructor(
    private readonly db: Db,
    private readonly sandboxes: SandboxReader,
    private readonly steps: CallSteps,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly chat: ChatService,
    private readonly secrets: HookSecrets,
    private readonly credentials: Credentials,
    private readonly publicUrl: PublicUrl,
    private readonly calls: Calls,
  ) {}

  /**
   * @param key the secret of the URL, or the `Authorization` of a caller who could list it
   * @throws HookRefusal
   */
  async post(
    id: string,
    key: { readonly secret: string } | { readonly bearer: string | undefined },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const body = request.body as Buffer | undefined;
    const contentType = request.headers['content-type'];
    const hook = await ('secret' in key
      ? this.hook(this.secrets.opened(id, key.secret))
      : this.hookOf(id, bearer(key.bearer)));
    if (!hook) throw new HookRefusal(404, 'no_service');
    const sandbox = this.sandboxes.ofCall(hook.sandbox) as SandboxFlags;
    this.clock.enter(sandbox);
    const isSeen = sandbox.journal || sandbox.hasFaults;
    this.calls.begin(request, reply, hookCall(hook, sandbox, isSeen ? payloadOf(body, contentType) : undefined));
    await this.steps.begin(sandbox);
    await this.calls.applyFaults(request, reply, hookFaults);
    await this.takeAllowance(hook, sandbox);
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

  private async hook(id: string | undefined): Promise<PostedHook | undefined> {
    if (id === undefined) return undefined;
    return (await this.db.read<PostedHook & { [column: string]: unknown }>(HOOK_TO_POST, [id]))[0];
  }

  /** A hook that the holder of a credential may post to. */
  private async hookOf(id: string, token: string | undefined): Promise<PostedHook | undefined> {
    if (token === undefined) return undefined;
    const named = await this.hook(id);
    if (named && (await this.opens(named, token))) return named;
    // the holder may know it by an id that means something in their sandbox alone
    const ids = await this.idsOf(token);
    const stored = ids ? await this.hook(ids.inside(id)) : undefined;
    return stored && (await this.opens(stored, token)) ? stored : undefined;
  }

  private async idsOf(token: string): Promise<IdSpace | null> {
    try {
      return (await this.credentials.identify(token, {})).identity.sandbox.ids;
    } catch (error) {
      if (error instanceof MessagingError) return null;
      throw error;
    }
  }

  private async opens(hook: PostedHook, token: string): Promise<boolean> {
    try {
      const { identity } = await this.credentials.identify(token, {
        team_id: isJwt(token) && this.credentials.idsOf(token) === null ? hook.workspaceId : undefined,
      });
      if (identity.workspaceId !== hook.workspaceId || !isOwner(identity, hook)) return false;
      return isPersonAdmin(identity) || (await this.db.read(INCOMING_IS_LISTED, [hook.id, identity.userId])).length > 0;
    } catch (error) {
      if (error instanceof MessagingError) return false;
      throw error;
    }
  }

  private async send(hook: PostedHook, message: ReturnType<typeof readMessage>): Promise<void> {
    if (hook.conversationType === null) throw new MessagingError('channel_not_found');
    const place = {
      tenantId: hook.tenantId,
      workspaceId: hook.workspaceId,
      conversation: { id: hook.conversationId, type: hook.conversationType },
    };
    const { threadTs, broadcast, ...content } = message;
    await this.chat.post(place, {
      author: {
        app: {
          id: hook.appId,
          name: hook.appName,
          botId: hook.appBotId,
          botUserId: hook.appBotUserId,
          createdAt: Math.floor(hook.appCreatedAt / 1e6),
        },
        custom: { botId: hook.id, username: hook.name, icons: shownIcons(hook.icons, this.publicUrl.base) },
      },
      content,
      memberId: null,
      threadTs,
      broadcast,
    });
  }

  private async takeAllowance(hook: PostedHook, sandbox: SandboxFlags): Promise<void> {
    const policy = scaled(TIERS.special, sandbox.rateLimitMultiplier);
    if (!policy) return;
    const { allowed, retryAfterMs } = await this.limits.take(
      `${sandbox.allowances}incoming-webhook:${hook.id}`,
      policy,
    );
    if (!allowed) throw new HookRefusal(429, 'rate_limited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  }
}

/** As messages show what was chosen for the webhook. */
function shownIcons(icons: object | null, baseUrl: string): object | undefined {
  const { emoji, image_48: url } = (icons ?? {}) as { emoji?: string; image_48?: string };
  return iconsOf({ emoji, url }, baseUrl);
}

/** The message, as far as it can be parsed. */
function payloadOf(body: Buffer | undefined, contentType: string | undefined): unknown {
  try {
    return readPayload(body, contentType);
  } catch {
    return body?.toString('utf8') ?? '';
  }
}
