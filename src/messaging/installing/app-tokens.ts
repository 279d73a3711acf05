import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import {
  hintOf,
  newBotToken,
  newRefreshToken,
  newRotatingToken,
  newUserToken,
  ROTATING_SECONDS,
} from '../provisioning/initial-values.js';
import { Token, type TokenKind } from '../store/token.entity.js';
import { END_REPLACED, PRUNE_HALF } from './installing.queries.js';

/** How long a refresh token serves that was used, in seconds. */
const USED_SECONDS = 60;
/** Refresh tokens of apps with PKCE end by themselves. */
const PKCE_DAYS = 30;

/** The newest tokens of a half that go on. */
const KEPT = 20;
const KEPT_ROTATING = 2;
/** The newest of those that have ended, which answer why; older ones are unknown. */
const KNOWN_ENDED = 50;

/** An app's bot, or one person of it, in a workspace; `openid`: a person who signed in to the app. */
export interface Half {
  readonly kind: 'bot' | 'user' | 'openid';
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
}

/** Kinds of stored tokens that are counted and end together. */
const OF_INSTALLATION = ['bot', 'user', 'refresh'] as const;
const OF_SIGN_IN = ['openid', 'openid_refresh'] as const;

/** What rotates, and how; undefined: a long-lived token. */
export interface Rotation {
  /** Refreshing needs no client secret. */
  readonly isPublic: boolean;
  readonly hasPkce: boolean;
}

/** Tokens in the clear, named as answers name them. */
export interface GrantedTokens {
  readonly access_token: string;
  readonly expires_in?: number;
  readonly refresh_token?: string;
}

/** Tokens of installations (docs/reference/installing.md#tokens). Their ends are by the sandbox's clock. */
@Injectable()
export class AppTokens {
  constructor(private readonly clock: Clock) {}

  /** A new token of a half; the oldest of many end. */
  async grant(tx: Tx, half: Half, rotation: Rotation | undefined): Promise<GrantedTokens> {
    const granted = rotation ? await this.rotating(tx, half, rotation) : await this.longLived(tx, half);
    await tx.query(PRUNE_HALF, [
      half.workspaceId,
      half.appId,
      half.userId,
      KEPT,
      KEPT_ROTATING,
      this.clock.nowMicros(),
      half.kind === 'openid' ? OF_SIGN_IN : OF_INSTALLATION,
      KNOWN_ENDED,
    ]);
    return granted;
  }

  /** Its refresh token was used: it serves a moment longer, for an answer that was lost. */
  async replaced(tx: Tx, refresh: Token): Promise<void> {
    const { workspaceId, appId, userId, hash, expiresAt } = refresh;
    const end = this.clock.nowMicros() + USED_SECONDS * 1e6;
    const kinds = refresh.kind === 'openid_refresh' ? OF_SIGN_IN : OF_INSTALLATION;
    await tx.query(END_REPLACED, [workspaceId, appId, userId, this.clock.nowMicros(), kinds]);
    await tx.sql.update(Token, { hash }, { expiresAt: Math.min(end, expiresAt ?? end) });
  }

  /** Rotating tokens are plain ones with an end; a refresh token has one where it needs no secret. */
  private async rotating(tx: Tx, half: Half, { isPublic, hasPkce }: Rotation): Promise<GrantedTokens> {
    const now = this.clock.nowMicros();
    const access = newRotatingToken(half.kind === 'bot' ? 'bot' : 'user');
    const refresh = newRefreshToken();
    await this.store(tx, half, access, half.kind, { expiresAt: now + ROTATING_SECONDS * 1e6 });
    await this.store(tx, half, refresh, half.kind === 'openid' ? 'openid_refresh' : 'refresh', {
      expiresAt: hasPkce ? now + PKCE_DAYS * 86_400 * 1e6 : null,
      isPublic,
    });
    return { access_token: access, expires_in: ROTATING_SECONDS, refresh_token: refresh };
  }

  private async longLived(tx: Tx, half: Half): Promise<GrantedTokens> {
    const token = half.kind === 'bot' ? newBotToken() : newUserToken();
    await this.store(tx, half, token, half.kind, {});
    return { access_token: token };
  }

  private async store(
    tx: Tx,
    { workspaceId, appId, userId, scopes }: Half,
    token: string,
    kind: TokenKind,
    ends: Partial<Pick<Token, 'expiresAt' | 'isPublic'>>,
  ): Promise<void> {
    await tx.sql.insert(Token, {
      hash: sha256Hex(token),
      kind,
      workspaceId,
      appId,
      userId,
      scopes: [...scopes],
      hint: hintOf(token),
      isConsented: true,
      ...ends,
    });
  }
}
