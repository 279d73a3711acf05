import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { eachText, type IdSpace } from '../../kernel/ids/id-space.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { ObservedAttempt } from '../../webhooks/dialect.js';
import { checkSignature } from '../../webhooks/signature-check.js';
import { kindOf, urlOf } from '../deliveries/target-kinds.js';
import { keepBody, keepMessage, type StoredJson } from './entry.js';
import { Recorder } from './recorder.js';
import { Replicas } from './replicas.js';
import { FLAGS_OF_SANDBOX } from './delivery-journal.queries.js';
import { lru } from '../../kernel/lru.js';

/** How long a sandbox's journal setting is cached, in milliseconds. */
const FRESH_MS = 1_000;
const MAX_CACHED = 10_000;
/** How often and how many times it is asked for again while the database is away: a minute long. */
const RETRY_MS = 500;
const MAX_TRIES = 120;
/** How long the end of the process waits for attempts that are being recorded, in milliseconds. */
const LAST_MS = 1_000;

/** An attempt as it is shown, without its position. */
export interface ShapedAttempt {
  readonly attempt: ObservedAttempt;
  /** By the sandbox's clock and by real time. */
  readonly at: Date;
  readonly wall: Date;
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, string | undefined>>;
}

interface JournalFlags {
  readonly journal: boolean;
  /** Those in which the sandbox's apps are spoken to. */
  readonly ids: IdSpace | null;
  readonly isSandbox: boolean;
}

/** A sandbox's journal setting, and when it was read (performance.now). */
interface CachedFlags {
  readonly at: number;
  readonly answer: Promise<JournalFlags>;
}

/** Records attempts of deliveries, with bodies if the sandbox keeps a journal. */
@Injectable()
export class DeliveryJournal {
  private readonly known = lru<number, CachedFlags>(MAX_CACHED);
  /** Outside any request's context: the first caller may hang up while others wait for the answer too. */
  private readonly askApart = AsyncResource.bind((tenantId: number) => this.readJournal(tenantId));
  /** Attempts that are being recorded. */
  private readonly underWay = new Set<Promise<void>>();
  private readonly listeners: ((shaped: ShapedAttempt) => void)[] = [];

  constructor(
    engine: DeliveryEngine,
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly recorder: Recorder,
    private readonly reader: SandboxReader,
    private readonly replicas: Replicas,
  ) {
    replicas.answer('journal', (tenantId) => {
      this.known.delete(Number(tenantId));
      return Promise.resolve('');
    });
    engine.observe({ observes: () => true, attempted: (attempt) => this.note(this.attempted(attempt)) });
    recorder.onEnd(() => Promise.race([Promise.allSettled(this.underWay), sleep(LAST_MS, undefined, { ref: false })]));
  }

  private note(recording: Promise<void>): void {
    this.underWay.add(recording);
    void recording.finally(() => this.underWay.delete(recording));
  }

  /** Called for every attempt, in the format that is shown. Must be quick and not throw. */
  onAttempt(listener: (shaped: ShapedAttempt) => void): void {
    this.listeners.push(listener);
  }

  /** The journal was switched on or off: all replicas that answer record later attempts accordingly. */
  async switched(tenantId: number): Promise<void> {
    this.known.delete(tenantId);
    await this.replicas.ask('journal', String(tenantId));
  }

  private async attempted(attempt: ObservedAttempt): Promise<void> {
    const wall = new Date(this.clock.wallMs());
    const at = new Date(this.clock.shiftedMs(attempt.shift));
    const { tenantId } = attempt;
    const flags = await this.flagsOf(tenantId);
    if (!flags?.isSandbox) return;
    const { journal, ids } = flags;
    // formatted once, when it is written
    let shaped: ShapedAttempt | undefined;
    const shape = (): ShapedAttempt =>
      (shaped ??= { attempt, at, wall, ...shapeOf(attempt, { at, wall }, { journal, ids }) });
    this.recorder.addLater(tenantId, () => {
      const { head, body } = shape();
      return { tenantId, atMs: null, wallMs: wall.getTime(), kind: 'delivery', head, body };
    });
    for (const listener of this.listeners) listener(shape());
  }

  /** An attempt is recorded also when its outcome came while the database was away. */
  private async flagsOf(tenantId: number): Promise<JournalFlags | undefined> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      try {
        return await this.journalOf(tenantId);
      } catch {
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  /** One query for all concurrent callers: acks arrive by the hundred. */
  private journalOf(tenantId: number): Promise<JournalFlags> {
    const known = this.known.get(tenantId);
    if (known && performance.now() - known.at < FRESH_MS) return known.answer;
    const asked: CachedFlags = { at: performance.now(), answer: this.askApart(tenantId) };
    this.known.set(tenantId, asked);
    asked.answer.catch(() => this.known.get(tenantId) === asked && this.known.delete(tenantId));
    return asked.answer;
  }

  private async readJournal(tenantId: number): Promise<JournalFlags> {
    const [row] = await this.db.read<{ flags: string }>(FLAGS_OF_SANDBOX, [tenantId]);
    const flags = row ? this.reader.read(row.flags) : null;
    return { journal: flags?.journal === true, ids: flags?.ids ?? null, isSandbox: flags !== null };
  }
}

function shapeOf(
  attempt: ObservedAttempt,
  { at, wall }: Pick<ShapedAttempt, 'at' | 'wall'>,
  { journal, ids }: Pick<JournalFlags, 'journal' | 'ids'>,
): Pick<ShapedAttempt, 'head' | 'body'> {
  const { request, response, outcome, target } = attempt;
  // entries are kept with stored ids, and shown with those that were sent
  const inside = <T>(value: T): T => (ids ? eachText(value, (text) => ids.inside(text)) : value);
  const bodyOf = (body: string | Buffer): string | Buffer =>
    ids && Buffer.isBuffer(body) ? inside(body.toString('utf8')) : inside(body);
  const type = (headers: Readonly<Record<string, unknown>>): string => String(headers['content-type'] ?? '');
  const sent: StoredJson | undefined =
    journal && request ? keepBody(bodyOf(request.body), type(request.headers)) : undefined;
  const received: StoredJson | undefined =
    journal && response ? keepBody(bodyOf(response.body), type(response.headers)) : undefined;
  const cut = sent?.cutFrom ?? received?.cutFrom;
  const nextRetryAt = outcome.state === 'retrying' ? new Date(at.getTime() + outcome.delayMs).toISOString() : null;
  const { apiAppId, secret, app } = (target.loaded ?? {}) as { apiAppId?: unknown; secret?: unknown; app?: unknown };
  const signature =
    request && typeof secret === 'string' && secret !== '' ? checkSignature(secret, request, wall.getTime()) : null;
  return {
    head: {
      product: target.product === 'tracker' ? 'tracker' : 'chat',
      delivery_id: String(attempt.deliveryId),
      target: {
        id: target.id,
        kind: kindOf(target.product),
        url: urlOf(target.loaded),
        ...(typeof app === 'string' && { app }),
      },
      attempt: attempt.attempt + 1,
      event_id: attempt.publicEventId ?? null,
      event: attempt.kind,
      ...(attempt.error !== undefined ? { error: attempt.error } : outcome.state !== 'done' && { error: 'http_error' }),
      ms: attempt.ms,
      next_retry_at: nextRetryAt,
      ...(signature !== null && { signature }),
      ...(attempt.rule !== undefined && { rule: attempt.rule }),
      ...(attempt.triggerId !== undefined && { trigger_id: attempt.triggerId }),
      ...(typeof apiAppId === 'string' && { app_id: apiAppId }),
      ...(attempt.cause !== null && { cause: attempt.cause }),
      ...(cut !== undefined && { truncated: true, length: cut }),
    },
    body: {
      request: request && keepMessage({ headers: inside(request.headers) }, sent),
      response: response && keepMessage({ status: response.status, headers: inside(response.headers) }, received),
    },
  };
}
