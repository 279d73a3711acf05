import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Session } from '../auth/session.entity.js';
import { Sessions } from '../auth/sessions.js';
import { Clock } from '../kernel/clock/clock.js';
import { Db } from '../kernel/database/db.js';
import { Upkeep } from '../kernel/database/upkeep.js';
import { newHex, sha256Hex } from '../kernel/ids/ids.js';
import { Browser } from './browser.entity.js';
import { BrowserSignIn } from './browser-sign-in.entity.js';
import {
  ADD_SIGN_IN,
  ADOPT_SESSION,
  FORGET,
  KEEP_NEWEST,
  REMEMBER_BROWSER,
  SIGN_INS,
  SWEEP,
  SWEEP_BATCH,
  USED,
  type SignInRow,
} from './browsers.queries.js';

/** How long an unused browser stays signed in, in seconds: 30 days. */
export const BROWSER_SECONDS = 30 * 24 * 3600;

/** How many sign-ins one browser may have; beyond it the least recently used one is signed out. */
const MAX_SIGN_INS = 20;

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A session of an account in a workspace. */
export interface BrowserSession {
  readonly accountId: string;
  readonly teamId: string;
  /** The session's claims besides the workspace. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** An existing session to use; absent: a new one is made. */
  readonly sid?: string;
}

/**
 * Signed-in browsers. Each is identified by an opaque secret in a cookie, which, unlike a refresh token, any number of
 * tabs may use at once.
 */
@Injectable()
export class Browsers {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sessions: Sessions,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting unused browsers', 10 * 60_000, (stopped) => this.sweep(stopped));
  }

  /** Deletes expired browsers, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const since = this.unusedSince();
    while (!stopped() && (await this.db.run(SWEEP, [since])).length === SWEEP_BATCH);
  }

  /** The sign-ins of this browser, the most recently used first; empty for an unknown secret. */
  async signIns(secret: string | undefined): Promise<SignInRow[]> {
    if (secret === undefined || !SECRET.test(secret)) return [];
    return this.db.read<SignInRow>(SIGN_INS, [sha256Hex(secret), this.unusedSince()]);
  }

  /** Adds a sign-in to the browser. Returns the browser's secret, which is new if the one sent is unknown. */
  async signIn(secret: string | undefined, session: BrowserSession): Promise<string> {
    const known = (await this.signIns(secret)).length > 0;
    const kept = known ? (secret as string) : randomBytes(32).toString('base64url');
    const hash = sha256Hex(kept);
    const now = this.clock.now();
    const over = await this.db.write(async (tx) => {
      await tx.query(REMEMBER_BROWSER, [hash, now]);
      const before = await tx.sql.findOneBy(BrowserSignIn, {
        secretHash: hash,
        accountId: session.accountId,
        teamId: session.teamId,
      });
      const sid = session.sid ?? newHex(16);
      if (session.sid === undefined) {
        // a browser's session is renewed by the browser's secret, so it has no refresh token
        const claims = { ...session.claims, team_id: session.teamId, ui: 1 };
        await tx.sql.insert(Session, { sid, accountId: session.accountId, claims, refreshExpiresAt: this.expiry() });
      } else {
        await tx.query(ADOPT_SESSION, [sid, this.expiry()]);
      }
      await tx.query(ADD_SIGN_IN, [hash, sid, session.accountId, session.teamId, now]);
      const dropped = await tx.query<{ sid: string; accountId: string }>(KEEP_NEWEST, [hash, MAX_SIGN_INS]);
      return before ? [before, ...dropped] : dropped;
    });
    await this.end(over);
    return kept;
  }

  /** Extends the browser by another thirty days. */
  async used(secret: string, sid: string): Promise<void> {
    await this.db.run(USED, [sha256Hex(secret), sid, this.clock.now(), this.expiry()]);
  }

  /** Signs out of one workspace, or of all. */
  async signOut(secret: string, teamId: string | undefined): Promise<void> {
    const hash = sha256Hex(secret);
    const ended = await this.db.run<{ sid: string; accountId: string }>(FORGET, [hash, teamId ?? null]);
    await this.end(ended);
    if (teamId === undefined) await this.db.write((tx) => tx.sql.delete(Browser, { secretHash: hash }));
  }

  private async end(sessions: readonly { sid: string; accountId: string }[]): Promise<void> {
    for (const { sid, accountId } of sessions) await this.sessions.end(accountId, sid);
  }

  private expiry(): Date {
    return new Date(this.clock.nowMs() + BROWSER_SECONDS * 1000);
  }

  private unusedSince(): Date {
    return new Date(this.clock.nowMs() - BROWSER_SECONDS * 1000);
  }
}
