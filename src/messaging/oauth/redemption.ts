import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import type { OauthCode } from '../../oauth/oauth-code.entity.js';
import { OauthCodes } from '../../oauth/oauth-codes.js';
import { provesChallenge } from '../../oauth/pkce.js';
import { MessagingError } from '../wire/codes.js';
import type { ChatGrant } from './chat-consent.js';
import type { ClientCall } from './client-calls.js';
import type { Client } from './clients.js';

/** Judges codes (docs/reference/installing.md#codes). */
@Injectable()
export class Redemption {
  constructor(
    private readonly clock: Clock,
    private readonly codes: OauthCodes,
  ) {}

  /**
   * Redeems a code in a transaction: of several at once, on any replicas, one succeeds. One that fails by its redirect URL
   * or verifier stays good. @throws MessagingError
   */
  async redeem(tx: Tx, call: ClientCall, client: Client, kind: 'install' | 'sign-in'): Promise<ChatGrant> {
    const code = await this.codes.lock(tx, call.text('code') ?? '');
    if (!code || code.clientId !== client.clientId) throw new MessagingError('invalid_code');
    if (code.isRedeemed) throw new MessagingError('code_already_used');
    if (code.expiresAt <= this.clock.nowMicros()) throw new MessagingError('invalid_code');
    if (code.kind !== kind) throw new MessagingError('oauth_authorization_url_mismatch');
    const grant = code.consent as ChatGrant;
    checkRedirect(grant, call.text('redirect_uri'));
    checkVerifier(grant, call.text('code_verifier'));
    await this.codes.redeemed(tx, code);
    return grant;
  }
}

/** Whether no secret is asked for where a code is redeemed: it was asked for with a challenge. */
export const isProvenOtherwise = (code: OauthCode | null, client: Client): boolean =>
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
