import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { statement } from '../kernel/database/statement.js';
import { newAlphanumeric, newHex, sha256Hex } from '../kernel/ids/ids.js';
import { ACCESS_TOKEN_SECONDS } from './access-tokens.js';
import type { Claims } from './account-products.js';

/** How long a refresh token lives, in milliseconds: 30 days (docs/reference/control-plane.md#accounts). */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000;

const INSERT_SESSIONS = statement(
  'auth_insert_sessions',
  `INSERT INTO sessions (sid, account_id, claims, over_at, via) SELECT sid, account_id, $3::jsonb, $4::timestamptz, $5
   FROM unnest($1::text[], $2::text[]) AS s (sid, account_id)`,
);

const BEGIN_SESSION = statement(
  'auth_begin_session',
  `INSERT INTO sessions (sid, account_id, claims, refresh_hash, refresh_expires_at, over_at) VALUES ($1, $2, $3, $4, $5, $5)`,
);

/**
 * Whose token it is, spent or not. `again`: its one use was so short ago that the answer may be lost, and nobody is known to
 * have got it.
 */
const HOLDER = statement(
  'auth_holder_of_refresh_token',
  `SELECT s.sid, s.account_id AS "accountId", jsonb_strip_nulls(s.claims || a.claims) AS claims, t.hash IS NOT NULL AS spent,
          s.ended_at IS NULL AND a.deactivated_at IS NULL
            AND CASE WHEN t.hash IS NULL THEN s.refresh_expires_at > $2
                     ELSE NOT t.delivered AND t.spent_at > $3 END AS good
   FROM (SELECT sid, NULL AS hash FROM sessions WHERE refresh_hash = $1
         UNION ALL SELECT sid, hash FROM spent_refresh_tokens WHERE hash = $1) h
   JOIN sessions s ON s.sid = h.sid JOIN accounts a ON a.id = s.account_id
   LEFT JOIN spent_refresh_tokens t ON t.hash = h.hash`,
);

const DELIVERED = statement(
  'auth_refresh_delivered',
  'UPDATE spent_refresh_tokens SET delivered = true WHERE hash = $1',
);

/** The hash in the row decides a race: whoever comes second finds another one there. */
const ROTATE = statement(
  'auth_rotate_refresh_token',
  `WITH rotated AS (
     UPDATE sessions s SET refresh_hash = $2, refresh_expires_at = $3, over_at = $3
     FROM accounts a
     WHERE s.refresh_hash = $1 AND s.ended_at IS NULL AND s.refresh_expires_at > $4 AND a.id = s.account_id
       AND a.deactivated_at IS NULL
     RETURNING s.sid, s.account_id, s.claims || a.claims AS claims),
   spent AS (INSERT INTO spent_refresh_tokens (hash, sid, spent_at) SELECT $1, sid, $4 FROM rotated)
   SELECT sid FROM rotated`,
);

const END_OF_SPENT = statement(
  'auth_end_session_of_spent_token',
  `UPDATE sessions SET ended_at = now(), refresh_hash = NULL
   WHERE sid = (SELECT sid FROM spent_refresh_tokens WHERE hash = $1) AND ended_at IS NULL RETURNING sid`,
);

const END = statement(
  'auth_end_session',
  `WITH ended AS (
     UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE sid = $1 AND account_id = $2 AND ended_at IS NULL
     RETURNING sid),
   with_it AS (
     UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE via IN (SELECT sid FROM ended) AND ended_at IS NULL)
   SELECT sid FROM ended`,
);

const END_VIA = statement(
  'auth_end_sessions_via',
  'UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE via = $1 AND ended_at IS NULL',
);

const FIND = statement('auth_find_session', 'SELECT sid FROM sessions WHERE sid = $1 AND account_id = $2');

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const SWEPT_AT_ONCE = 1_000;

/** Any constant does, as long as no other lock of ours takes it: one replica sweeps. */
const SWEEP_LOCK = statement('auth_sweep_lock', 'SELECT pg_try_advisory_xact_lock(7430232) AS mine');

/** Nothing that was issued for these can be valid any more: the refresh token has expired, access tokens long ago. */
export const SWEEP_SESSIONS = statement(
  'auth_sweep_sessions',
  `DELETE FROM sessions WHERE sid IN (
     SELECT sid FROM sessions WHERE over_at < $1 ORDER BY over_at, sid LIMIT ${SWEPT_AT_ONCE} FOR UPDATE)
   RETURNING 1`,
);

/** How long a refresh token that was used is good for the same answer, in milliseconds. */
const AGAIN_MS = 30_000;

export interface BegunSession {
  readonly sid: string;
  /** In the clear: shown once, stored as a hash. */
  readonly refreshToken: string;
}

const newRefreshToken = (): string => `xoxe-${newAlphanumeric(64)}`;

/** What became of a refresh token that was shown. */
export type RefreshHolder = {
  readonly sid: string;
  readonly accountId: string;
  /** What account and session are known to carry. */
  readonly claims: Claims;
  readonly spent: boolean;
  readonly good: boolean;
};

/** Sessions of accounts; an access token names the one it belongs to (docs/reference/control-plane.md#accounts). */
@Injectable()
export class Sessions {
  /** Used refresh tokens whose answers this process has sent, oldest first; every replica finds them in the store soon. */
  private readonly delivered = new Map<string, number>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly secrets: InstanceSecrets,
  ) {}

  /**
   * Opens a session without a refresh token for each account, all with the same claims. Answers their `sid`s in order.
   * @param options.seconds how long their access tokens live
   * @param options.via the session, or the hash of the control token, that they end with
   */
  async open(
    tx: Tx,
    accountIds: readonly string[],
    claims: Claims,
    { seconds = ACCESS_TOKEN_SECONDS, via = null }: { seconds?: number; via?: string | null } = {},
  ): Promise<string[]> {
    const sids = accountIds.map(() => newHex(16));
    const over = new Date(this.clock.wallMs() + seconds * 1000);
    if (sids.length > 0) await tx.query(INSERT_SESSIONS, [sids, [...accountIds], JSON.stringify(claims), over, via]);
    return sids;
  }

  /** Opens a session with a refresh token; inside a transaction where there is one. */
  async begin(accountId: string, claims: Claims, tx?: Tx): Promise<BegunSession> {
    const sid = newHex(16);
    const refreshToken = newRefreshToken();
    const values = [sid, accountId, JSON.stringify(claims), sha256Hex(refreshToken), this.expiry()];
    await (tx ? tx.query(BEGIN_SESSION, values) : this.db.run(BEGIN_SESSION, values));
    return { sid, refreshToken };
  }

  /** Whose refresh token this is, used or not; null for one that is unknown or forgotten. */
  async holderOf(token: string): Promise<RefreshHolder | null> {
    const hash = sha256Hex(token);
    const now = this.clock.now();
    const [row] = await this.db.read<RefreshHolder & { [column: string]: unknown }>(HOLDER, [
      hash,
      now,
      new Date(now.getTime() - AGAIN_MS),
    ]);
    if (!row) return null;
    return row.spent && this.delivered.has(hash) ? { ...row, good: false } : row;
  }

  /**
   * Exchanges a refresh token for the next one, which depends on it alone: asked again, because the answer was lost, it
   * gives the same one. Null when somebody else ended the session meanwhile.
   */
  async refresh(token: string, holder: RefreshHolder): Promise<BegunSession | null> {
    const next = this.nextOf(token);
    if (!holder.spent) {
      const rows = await this.db.run(ROTATE, [sha256Hex(token), sha256Hex(next), this.expiry(), this.clock.now()]);
      // somebody else rotated it just now: with the same token, so the next one is the same
      if (rows.length === 0 && (await this.holderOf(token))?.good !== true) return null;
    }
    return { sid: holder.sid, refreshToken: next };
  }

  /** Notes that the answer with the next token reached the client: whoever uses this token again has stolen it. */
  async markDelivered(token: string): Promise<void> {
    const hash = sha256Hex(token);
    const now = performance.now();
    for (const [old, since] of this.delivered) {
      if (now - since < 2 * AGAIN_MS) break;
      this.delivered.delete(old);
    }
    this.delivered.set(hash, now);
    await this.db.run(DELIVERED, [hash]);
  }

  /** A refresh token was used twice: it was stolen from one of its two users, so its session ends. */
  async endStolen(token: string): Promise<void> {
    await this.db.run(END_OF_SPENT, [sha256Hex(token)]);
  }

  /** Ends a session: its tokens of both kinds are dead from now on. */
  async end(accountId: string, sid: string): Promise<'ended' | 'was_over' | 'unknown'> {
    if ((await this.db.run(END, [sid, accountId])).length > 0) return 'ended';
    return (await this.db.read(FIND, [sid, accountId])).length > 0 ? 'was_over' : 'unknown';
  }

  /** Ends what was handed out to the holder of a control token, by its hash. */
  async endVia(tx: Tx, via: string): Promise<void> {
    await tx.query(END_VIA, [via]);
  }

  /** Forgets sessions that are long over, some at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const before = new Date(this.clock.wallMs() - 24 * 3_600_000);
    const batch = (): Promise<number> =>
      this.db.write(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }>(SWEEP_LOCK);
        return lock?.mine ? (await tx.query(SWEEP_SESSIONS, [before])).length : 0;
      });
    while (!stopped() && (await batch()) === SWEPT_AT_ONCE);
  }

  private nextOf(token: string): string {
    const digest = createHmac('sha512', this.secrets.key('refresh-tokens')).update(token).digest();
    return `xoxe-${[...digest].map((byte) => ALPHANUMERIC[byte % ALPHANUMERIC.length]).join('')}`;
  }

  private expiry(): Date {
    return new Date(this.clock.wallMs() + REFRESH_TOKEN_MS);
  }
}
