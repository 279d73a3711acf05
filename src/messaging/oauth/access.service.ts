import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newId } from '../../kernel/ids/ids.js';
import { InstallationTold } from '../../kernel/sandbox/installation-told.js';
import { AppTokens, type GrantedTokens, type Rotation } from '../installing/app-tokens.js';
import { Installations, union, type WorkspaceOfTenant, type Installed } from '../installing/installations.js';
import { Handshakes } from '../rest/handshakes.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { Conversation } from '../store/conversation.entity.js';
import { IncomingWebhook } from '../store/incoming-webhook.entity.js';
import { HookSecrets } from '../installing/hook-secrets.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { MessagingError } from '../wire/codes.js';
import type { ChatGrant } from './chat-consent.js';
import { ClientCalls } from './client-calls.js';
import { appIn, Clients, hasPkce, type Client, type WorkspaceRow } from './clients.js';
import { Redemption } from './redemption.js';
import { TokenRotation } from './token-rotation.js';
import { postingUrl, workspaceUrl } from '../wire/chat-urls.js';

/** oauth.v2.access: a code becomes an installation (docs/reference/installing.md#oauthv2access). */
@Injectable()
export class OauthAccess {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: Clients,
    private readonly clientCalls: ClientCalls,
    private readonly redemption: Redemption,
    private readonly installations: Installations,
    private readonly tokens: AppTokens,
    private readonly rotation: TokenRotation,
    private readonly handshakes: Handshakes,
    private readonly hookSecrets: HookSecrets,
    private readonly counts: WorkspaceCounts,
    private readonly publicUrl: PublicUrl,
    private readonly told: InstallationTold,
  ) {}

  /** @throws MessagingError */
  async access(request: RpcRequest, reply: FastifyReply): Promise<Answer> {
    const call = await this.clientCalls.readGrant(request, reply, 'oauth.v2.access');
    const { client } = call;
    if (call.isRefresh) return this.rotation.refresh(request, reply, call);
    const workspace = await this.redemption.open(request, reply, call);
    return this.installAt(client, workspace, (tx) => this.redemption.redeem(tx, call, client, 'install'));
  }

  /** The same for a test, which needs neither the client's secret nor its verifier. @throws MessagingError */
  async redeemUnproven(code: string, client: Client, workspace: WorkspaceRow): Promise<Answer> {
    return this.installAt(client, workspace, (tx) => this.redemption.redeemUnproven(tx, code, client, 'install'));
  }

  private async installAt(
    client: Client,
    workspace: WorkspaceRow,
    redeemed: (tx: Tx) => Promise<ChatGrant>,
  ): Promise<Answer> {
    const made = await this.db.write(async (tx) => {
      const grant = await redeemed(tx);
      return this.install(tx, client, { workspaceId: grant.workspaceId, tenantId: workspace.tenantId }, grant);
    });
    if (!made.installed.again) this.verify(made.grant.workspaceId, client.id);
    return this.answer(client, workspace, made);
  }

  /** The halves that somebody consented to, their tokens, and the webhook where one was asked for. */
  async install(tx: Tx, client: Client, workspace: WorkspaceOfTenant, grant: ChatGrant): Promise<Made> {
    const installed = await this.installations.install(tx, workspace, { ...grant, appId: client.id });
    if (!installed) throw new MessagingError('invalid_code');
    const isRotating = grant.rotates || grant.isDesktop;
    const rotation: Rotation | undefined = isRotating
      ? { isPublic: grant.isDesktop, hasPkce: hasPkce(client) }
      : undefined;
    const half = { workspaceId: workspace.workspaceId, appId: client.id };
    const bot =
      grant.bot.length > 0
        ? await this.tokens.grant(
            tx,
            { ...half, kind: 'bot', userId: installed.app.botUserId, scopes: installed.bot },
            rotation,
          )
        : null;
    const user =
      grant.user.length > 0
        ? await this.tokens.grant(tx, { ...half, kind: 'user', userId: grant.userId, scopes: installed.user }, rotation)
        : null;
    const hook = grant.channelId === null ? null : await this.addHook(tx, client, workspace.workspaceId, grant);
    this.told.tellAfter(tx, {
      tenantId: workspace.tenantId,
      kind: 'install',
      product: 'chat',
      app_id: client.id,
      app: client.name,
      user: grant.userId,
      scopes: union(grant.bot, grant.user).sort(),
      again: installed.again,
    });
    return { installed, grant, bot, user, hook };
  }

  /** Its handshakes come after the answer: the app may only now begin to listen. */
  private verify(workspaceId: string, appId: string): void {
    void this.handshakes
      .repeatNow(workspaceId, { appId })
      .then(() => this.handshakes.repeatLater(workspaceId, { appId }))
      .catch(() => undefined);
  }

  private async addHook(tx: Tx, client: Client, workspaceId: string, { channelId, userId }: ChatGrant): Promise<Hook> {
    const channel = await tx.sql.findOneBy(Conversation, { workspaceId, id: channelId as string });
    const hook: IncomingWebhook = {
      id: newId('B'),
      workspaceId,
      appId: client.id,
      conversationId: channelId as string,
      name: client.name,
      icons: null,
      creatorId: userId,
      isOfInstallation: true,
      createdAt: this.clock.nowMicros(),
    };
    await tx.sql.insert(IncomingWebhook, hook);
    await this.counts.check(tx, workspaceId, 'incoming_webhooks');
    return { id: hook.id, channelId: hook.conversationId, channel: `#${channel?.name ?? ''}` };
  }

  private answer(client: Client, workspace: WorkspaceRow, { installed, grant, bot, user, hook }: Made): Answer {
    const person = user && { scope: installed.user.join(','), ...user, token_type: 'user' };
    const { base } = this.publicUrl;
    const sandbox = this.clients.sandboxOf(workspace);
    return {
      ...appIn(client, workspace),
      authed_user: { id: grant.userId, ...person },
      ...(bot && {
        scope: installed.bot.join(','),
        token_type: 'bot',
        ...bot,
        bot_user_id: installed.app.botUserId,
      }),
      ...(hook && {
        incoming_webhook: {
          channel: hook.channel,
          channel_id: hook.channelId,
          configuration_url: `${workspaceUrl(base, { sandbox, workspaceDomain: workspace.domain })}/services/${hook.id}`,
          url: postingUrl(base, sandbox, {
            workspaceId: workspace.id,
            id: hook.id,
            secret: this.hookSecrets.of(hook.id),
          }),
        },
      }),
    };
  }
}

interface Hook {
  readonly id: string;
  readonly channelId: string;
  readonly channel: string;
}

/** What a redeemed code has brought. */
export interface Made {
  readonly installed: Installed;
  readonly grant: ChatGrant;
  readonly bot: GrantedTokens | null;
  readonly user: GrantedTokens | null;
  readonly hook: Hook | null;
}
