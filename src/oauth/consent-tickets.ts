import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan } from 'typeorm';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { Upkeep } from '../kernel/database/upkeep.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { ConsentError } from './consent-error.js';
import type { ConsentRequest } from './consent-product.js';
import { OauthBrowser } from './oauth-browser.entity.js';
import { OauthCode } from './oauth-code.entity.js';
import { OauthTicket } from './oauth-ticket.entity.js';

/** How long a page may be decided on, and a browser stays signed in, in milliseconds of real time. */
const TICKET_MS = 10 * 60_000;
const BROWSER_MS = 60 * 60_000;
/** Codes are kept that long, to tell a replayed one from an unknown one; a stopped clock keeps none alive longer. */
const CODE_DAYS = 7;
const SWEEP_EVERY_MS = 5 * 60_000;

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const newSecret = (): string => randomBytes(32).toString('base64url');

/** A ticket with its browser, as it is stored. */
export interface OpenTicket {
  readonly hash: string;
  readonly product: string;
  readonly request: ConsentRequest;
  readonly browserHash: string;
  readonly accountId: string | null;
}

/** What was shown to which browser, until it is decided. */
@Injectable()
export class ConsentTickets {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting consents that nobody gave', SWEEP_EVERY_MS, () => this.sweep());
  }

  /** A ticket for a browser. Returns its secret, and the browser's, which is new if the one sent is unknown. */
  async issue(
    sent: string | undefined,
    { product, request }: { readonly product: string; readonly request: ConsentRequest },
  ): Promise<{ ticket: string; browser: string; accountId: string | null }> {
    const now = this.clock.wallMs();
    const ticket = newSecret();
    return this.db.write(async (tx) => {
      const known = await this.browserOf(tx, sent, now);
      const browser = known ? (sent as string) : newSecret();
      const browserHash = sha256Hex(browser);
      const expiresAt = new Date(now + BROWSER_MS);
      if (known) await tx.sql.update(OauthBrowser, { hash: browserHash }, { expiresAt });
      else await tx.sql.insert(OauthBrowser, { hash: browserHash, accountId: null, expiresAt });
      await tx.sql.insert(OauthTicket, {
        hash: sha256Hex(ticket),
        browserHash,
        tenantId: request.homeId,
        product,
        request: request as object,
        expiresAt: new Date(now + TICKET_MS),
      });
      return { ticket, browser, accountId: known?.accountId ?? null };
    });
  }

  /** The ticket, if it was shown to this browser. @throws ConsentError 403 bad_ticket */
  async open(ticket: unknown, browser: string | undefined): Promise<OpenTicket> {
    const found = await this.find(ticket, browser);
    if (!found) throw new ConsentError(403, 'bad_ticket', 'This page was left open too long, or was answered already.');
    return found;
  }

  private async find(ticket: unknown, browser: string | undefined): Promise<OpenTicket | undefined> {
    if (typeof ticket !== 'string' || !SECRET.test(ticket) || browser === undefined || !SECRET.test(browser))
      return undefined;
    const alive = MoreThan(new Date(this.clock.wallMs()));
    const [row, holder] = await this.db.load((entities) =>
      Promise.all([
        entities.findOneBy(OauthTicket, { hash: sha256Hex(ticket), expiresAt: alive }),
        entities.findOneBy(OauthBrowser, { hash: sha256Hex(browser), expiresAt: alive }),
      ]),
    );
    // the browser's hash comes from its own secret, so comparing hashes reveals nothing
    if (!row || !holder || row.browserHash !== holder.hash) return undefined;
    const { hash, product, browserHash } = row;
    return { hash, product, browserHash, request: row.request as ConsentRequest, accountId: holder.accountId };
  }

  /** It is decided once. @throws ConsentError 403 bad_ticket */
  async spend(tx: Tx, { hash }: OpenTicket): Promise<void> {
    const { affected } = await tx.sql.delete(OauthTicket, { hash });
    if (affected !== 1) throw new ConsentError(403, 'bad_ticket', 'This page was answered already.');
  }

  /** Somebody signed in on the page. */
  async signIn({ browserHash }: OpenTicket, accountId: string): Promise<void> {
    await this.db.write((tx) => tx.sql.update(OauthBrowser, { hash: browserHash }, { accountId }));
  }

  private async browserOf(tx: Tx, sent: string | undefined, now: number): Promise<OauthBrowser | null> {
    if (sent === undefined || !SECRET.test(sent)) return null;
    return tx.sql.findOneBy(OauthBrowser, { hash: sha256Hex(sent), expiresAt: MoreThan(new Date(now)) });
  }

  private async sweep(): Promise<void> {
    const now = this.clock.wallMs();
    await this.db.write(async (tx) => {
      await tx.sql.delete(OauthTicket, { expiresAt: LessThan(new Date(now)) });
      await tx.sql.delete(OauthBrowser, { expiresAt: LessThan(new Date(now)) });
      await tx.sql.delete(OauthCode, { createdAt: LessThan(new Date(now - CODE_DAYS * 86_400_000)) });
    });
  }
}
