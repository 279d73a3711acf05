import { Logger } from '@nestjs/common';
import { lifeOf, repeat } from './copies.js';
import { NEXT_ID, type DeliveryRow } from './deliveries.queries.js';
import type { DeliveryObserver, DeliveryOutcome, Dialect, ObservedAttempt, ObservedCall, Rendered } from './dialect.js';
import type { DeliveryGate, GateDecision } from './delivery-gate.js';
import type { EngineContext } from './engine-context.js';
import type { FailureReason, GuardedHttp, PostAnswer } from './guarded-http.js';
import { originOf } from './origin-of.js';
import { observedAttempt } from './observed-attempt.js';
import type { Outcome } from './result-buffer.js';
import { recordedEventOf } from '../kernel/events/recorded-event.js';
import { idSpaceOf } from '../kernel/ids/id-space.js';
import { FairQueue } from '../kernel/limits/fair-queue.js';
import { lru } from '../kernel/lru.js';

/** How much of a response body an observer gets, in bytes. */
const OBSERVED_BYTES = 16 * 1024;
/** Timeouts in a row after which a target gets one request at a time, until it answers. */
const TIMEOUTS_IN_A_ROW = 5;
/** How many targets' timeouts are remembered. */
const REMEMBERED_TARGETS = 10_000;

/** Called after each attempt and each drop; must be quick and not throw. */
export type DeliveryListener = (product: string, outcome: DeliveryOutcome, seconds: number) => void;

/** A failed attempt, as it is logged. */
export interface FailedAttempt {
  /** An id: the URL may contain secrets. */
  readonly target: string;
  /** Scheme, host and port of its URL; a socket has none. */
  readonly origin?: string;
  readonly reason: FailureReason;
  /** If there was a response. */
  readonly status?: number;
  /** 1 is the first. */
  readonly attempt: number;
}

/** Makes attempts: renders, sends, and decides what happens to the delivery next. */
export class Attempts {
  private readonly log = new Logger('Deliveries');
  private readonly listeners = new Set<DeliveryListener>();
  private onFailure: ((failed: FailedAttempt) => void) | undefined;
  private readonly observers = new Set<DeliveryObserver>();
  private readonly timeouts = lru<string, number>(REMEMBERED_TARGETS);
  private readonly underWay: FairQueue;
  /** Of targets that failed lately. */
  private readonly origins = lru<string, string>(REMEMBERED_TARGETS);
  private gate: DeliveryGate | undefined;

  constructor(
    private readonly context: EngineContext,
    private readonly http: GuardedHttp,
    private readonly tally: (dialect: Dialect, targetId: string, failed: boolean) => void,
    private readonly onHold: (row: DeliveryRow, ruleId: string, dueMs: number | undefined) => Promise<void>,
  ) {
    const { maxUnderWay: width } = context.options;
    this.underWay = new FairQueue({ width, laneWidth: () => Math.ceil(width / 4) });
  }

  onDelivery(listener: DeliveryListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** At start-up: registers a listener for failed attempts; it must be quick and not throw. */
  setFailureListener(listener: (failed: FailedAttempt) => void): void {
    this.onFailure = listener;
  }

  observe(observer: DeliveryObserver): () => void {
    this.observers.add(observer);
    return () => void this.observers.delete(observer);
  }

  /**
   * Reports something that was sent outside the queue: it gets an id of its own, and observers see it as an attempt.
   */
  async observed({ target, product, ...call }: ObservedCall): Promise<void> {
    const observers = [...this.observers].filter((observer) => observer.observes(call.tenantId));
    if (observers.length === 0) return;
    const [row] = await this.context.db.run<{ id: number; shift: number | null }>(NEXT_ID, [call.tenantId]);
    if (!row) return;
    const attempt: ObservedAttempt = {
      ...call,
      deliveryId: row.id,
      shift: row.shift,
      target: { id: target.id, product, loaded: target },
      eventId: null,
      publicEventId: undefined,
      identity: null,
      attempt: 0,
      outcome: { state: call.error === undefined ? 'done' : 'failed' },
    };
    for (const observer of observers) observer.attempted(attempt);
  }

  /** At start-up: registers the gate for deliveries of tenants with rules. */
  guard(gate: DeliveryGate): void {
    this.gate = gate;
  }

  get deciding(): DeliveryGate | undefined {
    return this.gate;
  }

  /** How the log names a target. */
  nameOf(targetId: string): string {
    return named(targetId, this.origins.get(targetId));
  }

  /** A target that timed out repeatedly gets one request at a time. */
  isTriedAlone(targetId: string): boolean {
    return (this.timeouts.get(targetId) ?? 0) >= TIMEOUTS_IN_A_ROW;
  }

  /** Null: nothing was sent; a rule holds the delivery, or it waits as before. */
  async make(dialect: Dialect, row: DeliveryRow, target: unknown): Promise<Outcome | null> {
    const share = this.context.db.shares.of(row.tenant_id);
    return this.underWay.run(share, () => this.send(dialect, row, target));
  }

  drop(dialect: Dialect | undefined, row: DeliveryRow): Outcome {
    this.notify(dialect?.product ?? '', 'dropped', 0);
    return { id: row.id, targetId: row.target_id };
  }

  private async send(dialect: Dialect, row: DeliveryRow, target: unknown): Promise<Outcome | null> {
    const startedAt = performance.now();
    const observers = [...this.observers].filter((observer) => observer.observes(row.tenant_id));
    const decision = await this.decide(dialect, row, target);
    if (decision?.type === 'hold') return null;
    const life = decision?.type === 'duplicate' ? await lifeOf(this.context.db, row) : undefined;
    let rendered: Rendered | undefined;
    let answer: PostAnswer | null;
    try {
      rendered = await this.render(dialect, row, target, decision);
      answer = await this.answerOf(decision, dialect, row, target, rendered, observers.length > 0);
    } catch (error) {
      const { message, stack } = error as Error;
      answer = { answered: false, reason: 'unknown_error', message };
      this.log.error(`a delivery to ${named(row.target_id, originOfTarget(target))} cannot be made: ${message}`, stack);
    }
    if (!answer) return null;
    const seconds = (performance.now() - startedAt) / 1000;
    const isLost = decision?.type === 'drop';
    const outcome = isLost ? this.drop(dialect, row) : this.judge(dialect, row, target, answer, seconds);
    if (observers.length > 0) {
      const observed = observedAttempt(dialect, row, target, { rendered, answer, seconds, outcome });
      const ruled = {
        ...observed,
        ...(decision && { rule: decision.ruleId }),
        ...(isLost && { error: 'lost' as never }),
      };
      for (const observer of observers) observer.attempted(ruled);
    }
    if (decision?.type === 'duplicate' && rendered) {
      const send = this.answerOf.bind(this, null, dialect, row, target, rendered);
      const sent = { dialect, row, target, rendered, life };
      repeat(this.context.db, sent, decision, { send, observers: this.observers });
    }
    return outcome;
  }

  /** Applies the tenant's rules to this attempt; when this resolves, a held delivery is stored as held. */
  private async decide(dialect: Dialect, row: DeliveryRow, target: unknown): Promise<GateDecision | null> {
    if (!row.gated || !this.gate) return null;
    const about = {
      tenantId: row.tenant_id,
      deliveryId: row.id,
      targetId: row.target_id,
      product: dialect.product,
      target,
      kind: row.kind,
      attempt: row.attempt,
      data: row.data,
    };
    const decision = await this.gate.decide(about);
    if (decision?.type === 'hold') {
      await this.onHold(row, decision.ruleId, decision.dueMs);
      await this.gate.held(decision, about);
    }
    return decision;
  }

  private render(
    dialect: Dialect,
    row: DeliveryRow,
    target: unknown,
    decision: GateDecision | null,
  ): Rendered | Promise<Rendered> {
    const attempt = this.attemptOf(row, target);
    if (dialect.send) return dialect.render(attempt);
    if (decision?.type === 'stale_timestamp') {
      return dialect.render({ ...attempt, nowMs: attempt.nowMs - decision.seconds * 1000 });
    }
    if (decision?.type !== 'bad_signature') return dialect.render(attempt);
    return dialect.render({ ...attempt, target: { ...(target as object), secret: 'not the secret of this target' } });
  }

  private async answerOf(
    decision: GateDecision | null,
    dialect: Dialect,
    row: DeliveryRow,
    target: unknown,
    rendered: Rendered,
    isObserved: boolean,
  ): Promise<PostAnswer | null> {
    if (decision?.type === 'drop') return { answered: false, reason: 'http_timeout', message: 'lost' };
    if (decision?.type === 'answer') {
      const { status, error } = decision;
      if (error !== undefined) return { answered: false, reason: error, message: 'as a rule says' };
      return { answered: true, status: status ?? 200, headers: {}, body: Buffer.alloc(0) };
    }
    if (dialect.send) {
      return dialect.send(rendered, { targetId: row.target_id, deliveryId: row.id, retry: row.attempt, target });
    }
    const { timeoutMs, maxRedirects } = dialect;
    return this.http.post({
      ...rendered,
      // as it was given: it may hold what looks like an id
      url: idSpaceOf(row.id_key)?.outside(rendered.url) ?? rendered.url,
      from: { tenantId: row.tenant_id },
      timeoutMs,
      maxRedirects,
      ...(isObserved && { peekBytes: OBSERVED_BYTES }),
    });
  }

  private attemptOf(row: DeliveryRow, target: unknown): Parameters<Dialect['render']>[0] {
    return {
      deliveryId: row.id,
      identity: row.identity,
      retry: row.attempt,
      reason: row.reason as FailureReason | null,
      target,
      event: recordedEventOf(row.event_id, row),
      nowMs: this.context.clock.shiftedMs(row.signs_by_sandbox ? row.shift : null),
      ids: idSpaceOf(row.id_key),
    };
  }

  private judge(dialect: Dialect, row: DeliveryRow, target: unknown, answer: PostAnswer, seconds: number): Outcome {
    const origin = originOfTarget(target);
    const status = answer.answered ? String(answer.status) : answer.reason;
    const failed = !answer.answered
      ? answer.reason
      : dialect.success(answer.status)
        ? undefined
        : ('http_error' as const);
    const isLast =
      answer.answered && dialect.noRetryHeader !== undefined && answer.headers[dialect.noRetryHeader] === '1';
    // what is not sent over a connection of its own holds nothing back while it waits for an answer
    if (!dialect.send)
      this.countTimeout(row.target_id, failed === 'http_timeout' || (!answer.answered && answer.isLate === true));
    this.tally(dialect, row.target_id, failed !== undefined);
    const counted = dialect.disable.kind === 'exhausted';
    const base = { id: row.id, targetId: row.target_id, status };
    if (failed === undefined) {
      this.notify(dialect.product, 'delivered', seconds);
      return { ...base, ...(counted && { row: 'delivered' as const }) };
    }
    if (origin !== undefined) this.origins.set(row.target_id, origin);
    this.onFailure?.({
      target: row.target_id,
      ...(origin !== undefined && { origin }),
      reason: failed,
      ...(answer.answered && { status: answer.status }),
      attempt: row.attempt + 1,
    });
    const delay = dialect.retryDelaysSeconds[row.attempt];
    if (isLast || delay === undefined) {
      this.notify(dialect.product, 'given_up', seconds);
      return { ...base, ...(counted && { row: 'exhausted' as const }) };
    }
    this.notify(dialect.product, 'failed', seconds);
    return { ...base, again: { attempt: row.attempt + 1, delayMs: delay * 1000, reason: failed } };
  }

  private countTimeout(targetId: string, timedOut: boolean): void {
    if (!timedOut) return void this.timeouts.delete(targetId);
    const before = this.timeouts.get(targetId) ?? 0;
    this.timeouts.set(targetId, before + 1);
  }

  private notify(product: string, outcome: DeliveryOutcome, seconds: number): void {
    for (const listener of this.listeners) listener(product, outcome, seconds);
  }
}

const originOfTarget = (target: unknown): string | undefined => originOf((target as { url?: unknown } | null)?.url);

const named = (id: string, origin: string | undefined): string => (origin === undefined ? id : `${id} (${origin})`);
