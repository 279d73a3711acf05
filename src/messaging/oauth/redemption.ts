import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import type { OauthCode } from '../../oauth/oauth-code.entity.js';
import { OauthCodes } from '../../oauth/oauth-codes.js';
import { provesChallenge } from '../../oauth/pkce.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { MessagingError } from '../wire/codes.js';
import type { ChatGrant } from './chat-consent.js';
import { ClientCalls, type ClientCall, type GrantCall } from './client-calls.js';
import { Clients, type Client, type WorkspaceRow } from './clients.js';

export type CodeKind = 'install' | 'sign-in';

/** Judges codes (docs/reference/installing.md#codes). */
@Injectable()
export class Redemption {
  constructor(
    private readonly clock: Clock,
    private readonly codes: OauthCodes,
    private readonly clients: Clients,
    private readonly calls: ClientCalls,
  ) {}

  /** Begins a call that redeems a code, whose client proves itself; answers where the code holds. @throws MessagingError */
  async open(request: RpcRequest, reply: FastifyReply, call: GrantCall): Promise<WorkspaceRow> {
    const { client, sent } = call;
    const code = await this.codes.find(sent);
    const workspace = code?.clientId === client.clientId ? await this.workspaceOf(code) : null;
    await this.calls.begin(request, reply, call, client, this.clients.calledAt(workspace, client));
    if (call.clientSecret !== undefined || !isProvenOtherwise(code, client)) {
      this.calls.requireSecret(client, call.clientSecret);
    }
    // who consented may be deactivated by now
    if (!workspace?.userId) throw new MessagingError('invalid_code');
    return workspace;
  }

  /** Where a code holds, with who consented, if they are still active. */
  private workspaceOf({ consent }: OauthCode): Promise<WorkspaceRow | null> {
    const { workspaceId, userId } = consent as ChatGrant;
    return this.clients.workspace(workspaceId, userId);
  }

  /**
   * Redeems a code in a transaction: of several at once, on any replicas, one succeeds. One that fails by its redirect URL
   * or verifier stays good. @throws MessagingError
   */
  async redeem(tx: Tx, call: ClientCall, client: Client, kind: CodeKind): Promise<ChatGrant> {
    return this.take(tx, call.text('code') ?? '', client, kind, (grant) => {
      checkRedirect(grant, call.text('redirect_uri'));
      checkVerifier(grant, call.text('code_verifier'));
    });
  }

  /** The same where who redeems it needs no proof: the server itself, for a test. @throws MessagingError */
  async redeemUnproven(tx: Tx, code: string, client: Client, kind: CodeKind): Promise<ChatGrant> {
    return this.take(tx, code, client, kind, () => undefined);
  }

  private async take(
    tx: Tx,
    sent: string,
    client: Client,
    kind: CodeKind,
    check: (grant: ChatGrant) => void,
  ): Promise<ChatGrant> {
    const code = await this.codes.lock(tx, sent);
    if (!code || code.clientId !== client.clientId) throw new MessagingError('invalid_code');
    if (code.isRedeemed) throw new MessagingError('code_already_used');
    if (code.expiresAt <= this.clock.nowMicros()) throw new MessagingError('invalid_code');
    if (code.kind !== kind) throw new MessagingError('oauth_authorization_url_mismatch');
    const grant = code.consent as ChatGrant;
    check(grant);
    await this.codes.redeemed(tx, code);
    return grant;
  }
}

/** Whether no secret is asked for where a code is redeemed: it was asked for with a challenge. */
const isProvenOtherwise = (code: OauthCode | null, client: Client): boolean =>
  code !== null && code.clientId === client.clientId && (code.consent as ChatGrant).challenge !== null;

function checkRedirect({ sentRedirectUri, redirectUri }: ChatGrant, sent: string | undefined): void {
  const fits = sentRedirectUri === null ? sent === undefined || sent === redirectUri : sent === sentRedirectUri;
  if (!fits) throw new MessagingError('bad_redirect_uri');
}

function checkVerifier({ challenge }: ChatGrant, verifier: string | undefined): void {
  const fits =
    challenge === null
      ? verifier === undefined
      : verifier !== undefined && provesChallenge(verifier, challenge, 'S256');
  if (!fits) throw new MessagingError('invalid_code_verifier');
}
