import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Log } from '../../kernel/log/log.js';
import { EventTarget } from '../events/event-target.entity.js';
import { originOf } from '../../webhooks/origin-of.js';
import { UrlVerification } from './url-verification.js';
import { UNVERIFIED } from './handshakes.queries.js';

/** Delays before a failed handshake is repeated, in milliseconds after the previous one. */
const AGAIN_MS = [5_000, 30_000, 120_000];
/** Targets that wait for another handshake; further ones have to request it themselves. */
const MAX_WAITING = 1_000;
/** Concurrent handshakes of one list: each may take 3 s. */
const AT_ONCE = 20;

interface Unverified {
  id: string;
  url: string;
  signingSecret: string;
  verificationToken: string;
}

/** Handshakes of existing subscriptions, until they succeed: an app may install itself and only then begin to serve. */
@Injectable()
export class Handshakes implements BeforeApplicationShutdown {
  private readonly waiting = new Map<string, NodeJS.Timeout>();
  /** One at a time for each target: calls that arrive meanwhile share its outcome. */
  private readonly underWay = new Map<string, Promise<boolean>>();

  constructor(
    private readonly db: Db,
    private readonly verification: UrlVerification,
    private readonly log: Log,
  ) {}

  beforeApplicationShutdown(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  /**
   * The unverified subscriptions of an app, or one of them, are verified again after 5, 30 and 120 s.
   * @param reason why the first handshake failed, before they were stored
   */
  async repeatLater(workspaceId: string, of: { appId?: string; id?: string }, reason?: string): Promise<void> {
    for (const { id, url } of await this.unverified(workspaceId, of)) {
      if (reason !== undefined) this.verification.tell(reason, { target: id, url });
      this.plan(workspaceId, { id, url }, 0);
    }
  }

  /** Verifies all that have not answered yet, or those of one app, now. */
  async repeatNow(workspaceId: string, of: { appId?: string | undefined; id?: string }): Promise<void> {
    const targets = await this.unverified(workspaceId, of);
    for (let at = 0; at < targets.length; at += AT_ONCE) {
      await Promise.all(targets.slice(at, at + AT_ONCE).map((target) => this.ask(workspaceId, target, 1)));
    }
  }

  /** The result of a handshake. */
  async store(id: string, verified: boolean): Promise<void> {
    await this.db.write((tx) => tx.sql.update(EventTarget, { id }, { verified }));
  }

  private plan(workspaceId: string, { id, url }: Pick<Unverified, 'id' | 'url'>, step: number): void {
    const delay = AGAIN_MS[step];
    if (delay === undefined || (this.waiting.size >= MAX_WAITING && !this.waiting.has(id))) return;
    clearTimeout(this.waiting.get(id));
    const timer = setTimeout(() => {
      this.waiting.delete(id);
      this.retryLater(workspaceId, id, step).catch((error: unknown) =>
        this.log.warn('a handshake was not repeated', { target: id, origin: originOf(url), error }),
      );
    }, delay);
    this.waiting.set(id, timer.unref());
  }

  private async retryLater(workspaceId: string, id: string, step: number): Promise<void> {
    const [target] = await this.unverified(workspaceId, { id });
    if (target && !(await this.ask(workspaceId, target, step + 2))) this.plan(workspaceId, target, step + 1);
  }

  private ask(workspaceId: string, target: Unverified, attempt: number): Promise<boolean> {
    const { id } = target;
    const asked =
      this.underWay.get(id) ??
      this.attemptHandshake(workspaceId, target, attempt).finally(() => {
        this.underWay.delete(id);
      });
    this.underWay.set(id, asked);
    return asked;
  }

  private async attemptHandshake(workspaceId: string, target: Unverified, attempt: number): Promise<boolean> {
    const { id, url } = target;
    const reason = await this.verification.failureOf(url, target, workspaceId);
    if (reason === undefined) await this.store(id, true);
    else this.verification.tell(reason, { target: id, url, attempt });
    return reason === undefined;
  }

  private unverified(
    workspaceId: string,
    { appId, id }: { appId?: string | undefined; id?: string },
  ): Promise<Unverified[]> {
    return this.db.read<Unverified & { [column: string]: unknown }>(UNVERIFIED, [
      workspaceId,
      appId ?? null,
      id ?? null,
    ]);
  }
}
