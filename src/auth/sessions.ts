import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { newAlphanumeric, newHex, sha256Hex } from '../kernel/ids/ids.js';
import type { Claims } from './account-products.js';

/** How long a refresh token lives, in milliseconds: 30 days (messaging.md E.1). */
export const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000;

const INSERT_SESSIONS = statement(
  'auth_insert_sessions',
  `INSERT INTO sessions (sid, account_id, claims) SELECT sid, account_id, $3::jsonb
   FROM unnest($1::text[], $2::text[]) AS s (sid, account_id)`,
);

const BEGIN_SESSION = statement(
  'auth_begin_session',
  `INSERT INTO sessions (sid, account_id, claims, refresh_hash, refresh_expires_at) VALUES ($1, $2, $3, $4, $5)`,
);

/** The hash in the row decides a race: whoever comes second finds another one there. */
const ROTATE = statement(
  'auth_rotate_refresh_token',
  `WITH rotated AS (
     UPDATE sessions s SET refresh_hash = $2, refresh_expires_at = $3
     FROM accounts a
     WHERE s.refresh_hash = $1 AND s.ended_at IS NULL AND s.refresh_expires_at > $4 AND a.id = s.account_id
       AND a.deactivated_at IS NULL
     RETURNING s.sid, s.account_id, s.claims || a.claims AS claims),
   spent AS (INSERT INTO spent_refresh_tokens (hash, sid) SELECT $1, sid FROM rotated)
   SELECT sid, account_id AS "accountId", jsonb_strip_nulls(claims) AS claims FROM rotated`,
);

const END_OF_SPENT = statement(
  'auth_end_session_of_spent_token',
  `UPDATE sessions SET ended_at = now(), refresh_hash = NULL
   WHERE sid = (SELECT sid FROM spent_refresh_tokens WHERE hash = $1) AND ended_at IS NULL RETURNING sid`,
);

const END = statement(
  'auth_end_session',
  `UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE sid = $1 AND account_id = $2 AND ended_at IS NULL
   RETURNING sid`,
);

const FIND = statement('auth_find_session', 'SELECT sid FROM sessions WHERE sid = $1 AND account_id = $2');

const SWEPT_AT_ONCE = 1_000;

/** Nothing that was issued for these can be valid any more: the refresh token has expired, access tokens long ago. */
const SWEEP = statement(
  'auth_sweep_sessions',
  `DELETE FROM sessions WHERE sid IN (
     SELECT sid FROM sessions WHERE coalesce(refresh_expires_at, created_at + interval '2 hours') < $1 LIMIT ${SWEPT_AT_ONCE})
   RETURNING 1`,
);

export interface BegunSession {
  readonly sid: string;
  /** In the clear: shown once, stored as a hash. */
  readonly refreshToken: string;
}

export interface RefreshedSession extends BegunSession {
  readonly accountId: string;
  /** What account and session are known to carry. */
  readonly claims: Claims;
}

const newRefreshToken = (): string => `xoxe-${newAlphanumeric(64)}`;

/** Sessions of accounts; an access token names the one it belongs to (messaging.md E.1). */
@Injectable()
export class Sessions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Opens a session without a refresh token for each account, all with the same claims. Answers their `sid`s in order. */
  async open(tx: Tx, accountIds: readonly string[], claims: Claims): Promise<string[]> {
    const sids = accountIds.map(() => newHex(16));
    if (sids.length > 0) await tx.query(INSERT_SESSIONS, [sids, [...accountIds], JSON.stringify(claims)]);
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

  /**
   * Exchanges a refresh token for the next one. Null when it is unknown, expired or spent; a spent one was stolen from
   * one of its two users, so its session ends.
   */
  async refresh(token: string): Promise<RefreshedSession | null> {
    const hash = sha256Hex(token);
    const next = newRefreshToken();
    const [row] = await this.db.run<{ sid: string; accountId: string; claims: Claims }>(ROTATE, [
      hash,
      sha256Hex(next),
      this.expiry(),
      this.clock.now(),
    ]);
    if (row) return { ...row, refreshToken: next };
    await this.db.run(END_OF_SPENT, [hash]);
    return null;
  }

  /** Ends a session: its tokens of both kinds are dead from now on. */
  async end(accountId: string, sid: string): Promise<'ended' | 'was_over' | 'unknown'> {
    if ((await this.db.run(END, [sid, accountId])).length > 0) return 'ended';
    return (await this.db.read(FIND, [sid, accountId])).length > 0 ? 'was_over' : 'unknown';
  }

  /** Forgets sessions that are long over, some at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const before = new Date(this.clock.nowMs() - 24 * 3_600_000);
    while (!stopped() && (await this.db.run(SWEEP, [before])).length === SWEPT_AT_ONCE);
  }

  private expiry(): Date {
    return new Date(this.clock.nowMs() + REFRESH_TOKEN_MS);
  }
}
