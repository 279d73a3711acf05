import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db } from '../kernel/database/db.js';
import { Upkeep } from '../kernel/database/upkeep.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import type { Claims } from './account-products.js';
import { SignInLink } from './sign-in-link.entity.js';
import { REDEEM_LINK, SWEEP_LINKS, SWEEP_BATCH } from './sign-in-links.queries.js';

/** How long a link can be used, in milliseconds. */
export const LINK_MS = 3_600_000;

/** The person and workspace of a link. */
export interface SignInLinkRequest {
  readonly accountId: string;
  readonly teamId: string;
  /** Claims of the sessions that it begins, besides the workspace. */
  readonly claims?: Claims;
  /** The page of the web UI to open: begins with one slash. */
  readonly target?: string | undefined;
}

export interface MadeLink {
  /** In the clear: shown once, stored as a hash. */
  readonly key: string;
  readonly expiresAt: Date;
}

interface LinkRow extends Record<string, unknown> {
  accountId: string;
  teamId: string;
  claims: Claims;
  target: string | null;
  valid: boolean;
}

/** Links that sign a person in once, within an hour, without a password. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting old sign-in links', 10 * 60_000, (stopped) => this.sweep(stopped));
  }

  /** Deletes expired links, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const now = new Date(this.clock.wallMs());
    while (!stopped() && (await this.db.run(SWEEP_LINKS, [now])).length === SWEEP_BATCH);
  }

  async make(request: SignInLinkRequest): Promise<MadeLink> {
    const key = randomBytes(32).toString('base64url');
    const expiresAt = new Date(this.clock.wallMs() + LINK_MS);
    const { accountId, teamId, claims = {}, target = null } = request;
    const link = { keyHash: sha256Hex(key), accountId, teamId, claims, target, expiresAt };
    await this.db.write((tx) => tx.sql.insert(SignInLink, link));
    return { key, expiresAt };
  }

  /** Uses a link up. Null for one that is unknown, used or expired. */
  async redeem(key: string): Promise<(SignInLinkRequest & { readonly claims: Claims }) | null> {
    const [row] = await this.db.run<LinkRow>(REDEEM_LINK, [sha256Hex(key), new Date(this.clock.wallMs())]);
    if (!row?.valid) return null;
    return { accountId: row.accountId, teamId: row.teamId, claims: row.claims, target: row.target ?? undefined };
  }
}

/** Whether a text is a valid page for a link: a path of this server, nothing that leads elsewhere. */
// eslint-disable-next-line no-control-regex -- what is refused is control characters
export const isLocalTarget = (text: string): boolean => /^\/(?!\/)[^\\\u0000-\u001f\u007f]*$/.test(text);

/** The address of a link. Its key is in the fragment, so that no log and no other site sees it. */
export const linkUrl = (base: string, key: string, to?: string): string =>
  `${base}/#key=${key}${to === undefined ? '' : `&to=${encodeURIComponent(to)}`}`;
