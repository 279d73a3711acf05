import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { AppTokens, type GrantedTokens, type Half } from '../installing/app-tokens.js';
import { Installations } from '../installing/installations.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import type { App } from '../store/app.entity.js';
import { Token } from '../store/token.entity.js';
import { MessagingError } from '../wire/codes.js';
import { ClientCalls, type GrantCall } from './client-calls.js';
import { appIn, Clients, hasPkce, rotates, type Client, type WorkspaceRow } from './clients.js';

/** Rotating tokens: for a refresh token, or for a long-lived one (docs/reference/installing.md#rotation). */
@Injectable()
export class TokenRotation {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: Clients,
    private readonly clientCalls: ClientCalls,
    private readonly tokens: AppTokens,
    private readonly installations: Installations,
  ) {}

  /** @throws MessagingError bad_client_secret, invalid_refresh_token */
  async refresh(request: RpcRequest, reply: FastifyReply, call: GrantCall): Promise<Answer> {
    const { half, tokens, workspace } = await this.replace(request, reply, call, 'refresh');
    return answer(call.client, workspace, half, tokens);
  }

  /** New tokens for a refresh token of a kind, which then ends. @throws MessagingError bad_client_secret, invalid_refresh_token */
  async replace(
    request: RpcRequest,
    reply: FastifyReply,
    call: GrantCall,
    kind: 'refresh' | 'openid_refresh',
  ): Promise<{ readonly half: Half; readonly tokens: GrantedTokens; readonly workspace: WorkspaceRow }> {
    const { client, sent } = call;
    const known = await this.find(sent);
    const workspace =
      known?.kind === kind && known.appId === client.id
        ? await this.clients.workspace(known.workspaceId, known.userId)
        : null;
    await this.clientCalls.begin(request, reply, call, client, this.clients.calledAt(workspace, client));
    if (call.clientSecret !== undefined || !(known?.isPublic && workspace)) {
      this.clientCalls.requireSecret(client, call.clientSecret);
    }
    if (!workspace) throw new MessagingError('invalid_refresh_token');
    const granted = await this.db.write(async (tx) => {
      const { app, token } = await this.lock(tx, workspace.id, client.id, sent);
      const isOver = (token?.expiresAt ?? Infinity) <= this.clock.nowMicros();
      if (!token || token.revokedAt !== null || isOver) throw new MessagingError('invalid_refresh_token');
      const half = halfOf(token, app);
      if (isOfNobody(half, workspace)) throw new MessagingError('invalid_refresh_token');
      await this.tokens.replaced(tx, token);
      const rotation = { isPublic: token.isPublic, hasPkce: hasPkce(client) };
      return { half, tokens: await this.tokens.grant(tx, half, rotation) };
    });
    return { ...granted, workspace };
  }

  /** @throws MessagingError */
  async exchange(request: RpcRequest, reply: FastifyReply): Promise<Answer> {
    const call = await this.clientCalls.read(request, 'oauth.v2.exchange');
    const { client } = call;
    if (!client) throw new MessagingError('invalid_client_id');
    const sent = call.sentToken ?? '';
    const known = await this.find(sent);
    const isOurs = known?.appId === client.id && (known.kind === 'bot' || known.kind === 'user');
    const workspace = isOurs ? await this.clients.workspace(known.workspaceId, known.userId) : null;
    await this.clientCalls.begin(request, reply, call, client, this.clients.calledAt(workspace, client));
    this.clientCalls.requireSecret(client, call.clientSecret);
    if (!rotates(client)) throw new MessagingError('token_rotation_not_enabled');
    if (!workspace || known?.expiresAt !== null) throw new MessagingError('invalid_token');
    const granted = await this.db.write(async (tx) => {
      const { app, token } = await this.lock(tx, workspace.id, client.id, sent);
      if (!token || token.revokedAt !== null) throw new MessagingError('authorization_not_found');
      if (token.isExchanged) throw new MessagingError('token_already_exchanged');
      const half = halfOf(token, app);
      if (isOfNobody(half, workspace)) throw new MessagingError('authorization_not_found');
      await tx.sql.update(Token, { hash: token.hash }, { isExchanged: true });
      return { half, tokens: await this.tokens.grant(tx, half, { isPublic: false, hasPkce: hasPkce(client) }) };
    });
    return answer(client, workspace, granted.half, granted.tokens);
  }

  private find(token: string): Promise<Token | null> {
    return this.db.load((entities) => entities.findOneBy(Token, { hash: sha256Hex(token) }));
  }

  /** Locks the app first, as what ends its halves does: of an end and new tokens beside it the end sees them. */
  private async lock(
    tx: Tx,
    workspaceId: string,
    appId: string,
    sent: string,
  ): Promise<{ app: App | null; token: Token | null }> {
    const app = await this.installations.lock(tx, workspaceId, appId);
    const where = { hash: sha256Hex(sent) };
    return { app, token: await tx.sql.findOne(Token, { where, lock: { mode: 'pessimistic_write' } }) };
  }
}

function halfOf({ kind, workspaceId, appId, userId, scopes }: Token, app: App | null): Half {
  if (kind === 'openid_refresh') return { kind: 'openid', workspaceId, appId, userId, scopes };
  return { kind: app?.botUserId === userId ? 'bot' : 'user', workspaceId, appId, userId, scopes };
}

/** The person of a half was deactivated. */
const isOfNobody = ({ kind }: Half, { userId }: WorkspaceRow): boolean => kind !== 'bot' && userId === null;

const answer = (client: Client, workspace: WorkspaceRow, half: Half, tokens: GrantedTokens): Answer => ({
  ...tokens,
  token_type: half.kind,
  scope: half.scopes.join(','),
  ...(half.kind === 'bot' ? { bot_user_id: half.userId } : { authed_user: { id: half.userId } }),
  ...appIn(client, workspace),
});
