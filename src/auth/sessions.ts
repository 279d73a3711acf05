import { createHmac } from 'node:crypto';
import { IsNull } from 'typeorm';
import { Session } from './session.entity.js';
import { SpentRefreshToken } from './spent-refresh-token.entity.js';
import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { newAlphanumeric, newHex, sha256Hex } from '../kernel/ids/ids.js';
import { ACCESS_TOKEN_SECONDS } from './access-tokens.js';
import type { Claims } from './account-products.js';
import {
  INSERT_SESSIONS,
  HOLDER_OF_REFRESH_TOKEN,
  ROTATE_REFRESH_TOKEN,
  END_SESSION_OF_SPENT_TOKEN,
  END_SESSION,
  SWEEP_LOCK,
  SWEEP_SESSIONS,
  SWEEP_BATCH,
} from './sessions.queries.js';

/** How long a refresh token lives, in milliseconds: 30 days (docs/reference/control-plane.md#accounts). */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** How long a used refresh token still gives the same answer, in milliseconds. */
const AGAIN_MS = 30_000;

export interface BegunSession {
  readonly sid: string;
  /** In the clear: shown once, stored as a hash. */
  readonly refreshToken: string;
}

const newRefreshToken = (): string => `xoxe-${newAlphanumeric(64)}`;

/** The result of using a refresh token. */
export type RefreshHolder = {
  readonly sid: string;
  readonly accountId: string;
  /** The claims of account and session. */
  readonly claims: Claims;
  readonly spent: boolean;
  readonly good: boolean;
};

/** Sessions of accounts; an access token names the one it belongs to (docs/reference/control-plane.md#accounts). */
@Injectable()
export class Sessions {
  /**
   * Used refresh tokens whose answers this process has sent, oldest first; they are soon recorded in the store for all
   * replicas.
   */
  private readonly delivered = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly secrets: InstanceSecrets,
  ) {}

  /**
   * Opens a session without a refresh token for each account, all with the same claims. Returns their `sid`s in order.
   * @param options.seconds the lifetime of their access tokens
   * @param options.via the session, or the hash of the control token, that they end with
   */
  async open(
    tx: Tx,
    accountIds: readonly string[],
    claims: Claims,
    options: { seconds?: number; via?: string | null } = {},
  ): Promise<string[]> {
    const { sids, values } = this.prepare(accountIds, claims, options);
    if (sids.length > 0) await tx.query(INSERT_SESSIONS, [...values]);
    return sids;
  }

  /** The same for a statement that stores more than sessions: their `sid`s, and the parameters of `insertSessions`. */
  prepare(
    accountIds: readonly string[],
    claims: Claims,
    { seconds = ACCESS_TOKEN_SECONDS, via = null }: { seconds?: number; via?: string | null } = {},
  ): { readonly sids: string[]; readonly values: readonly unknown[] } {
    const sids = accountIds.map(() => newHex(16));
    const over = new Date(this.clock.wallMs() + seconds * 1000);
    return { sids, values: [sids, [...accountIds], JSON.stringify(claims), over, via] };
  }

  /** Opens a session with a refresh token; inside a transaction if one is given. */
  async begin(accountId: string, claims: Claims, tx?: Tx): Promise<BegunSession> {
    const sid = newHex(16);
    const refreshToken = newRefreshToken();
    const over = this.expiry();
    const session = {
      sid,
      accountId,
      claims,
      refreshHash: sha256Hex(refreshToken),
      refreshExpiresAt: over,
      overAt: over,
    };
    const insert = (into: Tx): Promise<unknown> => into.sql.insert(Session, session);
    await (tx ? insert(tx) : this.db.write(insert));
    return { sid, refreshToken };
  }

  /** The session of this refresh token, used or not; null for an unknown or deleted one. */
  async holderOf(token: string): Promise<RefreshHolder | null> {
    const hash = sha256Hex(token);
    const now = this.clock.now();
    const [row] = await this.db.read<RefreshHolder & { [column: string]: unknown }>(HOLDER_OF_REFRESH_TOKEN, [
      hash,
      now,
      new Date(now.getTime() - AGAIN_MS),
    ]);
    if (!row) return null;
    return row.spent && this.delivered.has(hash) ? { ...row, good: false } : row;
  }

  /**
   * Exchanges a refresh token for the next one, which is derived from it alone: a repeated request, because the answer
   * was lost, gives the same one. Null when the session was ended meanwhile.
   */
  async refresh(token: string, holder: RefreshHolder): Promise<BegunSession | null> {
    const next = this.nextOf(token);
    if (!holder.spent) {
      const rows = await this.db.run(ROTATE_REFRESH_TOKEN, [
        sha256Hex(token),
        sha256Hex(next),
        this.expiry(),
        this.clock.now(),
      ]);
      // a concurrent call rotated it with the same token, so the next one is the same
      if (rows.length === 0 && (await this.holderOf(token))?.good !== true) return null;
    }
    return { sid: holder.sid, refreshToken: next };
  }

  /**
   * Records that the answer with the next token reached the client: from now on, using the old token again means that
   * it was stolen.
   */
  async markDelivered(token: string): Promise<void> {
    const hash = sha256Hex(token);
    const now = performance.now();
    for (const [old, since] of this.delivered) {
      if (now - since < 2 * AGAIN_MS) break;
      this.delivered.delete(old);
    }
    this.delivered.set(hash, now);
    await this.db.write((tx) => tx.sql.update(SpentRefreshToken, { hash }, { delivered: true }));
  }

  /** A refresh token was used twice, so it was stolen: its session ends. */
  async endStolen(token: string): Promise<void> {
    await this.db.run(END_SESSION_OF_SPENT_TOKEN, [sha256Hex(token)]);
  }

  /** Ends a session: its tokens of both kinds are invalid from now on. */
  async end(accountId: string, sid: string): Promise<'ended' | 'was_over' | 'unknown'> {
    if ((await this.db.run(END_SESSION, [sid, accountId])).length > 0) return 'ended';
    return (await this.db.load((entities) => entities.existsBy(Session, { sid, accountId }))) ? 'was_over' : 'unknown';
  }

  /** Ends the sessions issued to the holder of a control token, by its hash. */
  async endVia(tx: Tx, via: string): Promise<void> {
    await tx.sql.update(Session, { via, endedAt: IsNull() }, { endedAt: () => 'now()', refreshHash: null });
  }

  /** Deletes sessions that expired long ago, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const before = new Date(this.clock.wallMs() - 24 * 3_600_000);
    const batch = (): Promise<number> =>
      this.db.write(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }>(SWEEP_LOCK);
        return lock?.mine ? (await tx.query(SWEEP_SESSIONS, [before])).length : 0;
      });
    while (!stopped() && (await batch()) === SWEEP_BATCH);
  }

  private nextOf(token: string): string {
    const digest = createHmac('sha512', this.secrets.key('refresh-tokens')).update(token).digest();
    return `xoxe-${[...digest].map((byte) => ALPHANUMERIC[byte % ALPHANUMERIC.length]).join('')}`;
  }

  private expiry(): Date {
    return new Date(this.clock.wallMs() + REFRESH_TOKEN_MS);
  }
}
