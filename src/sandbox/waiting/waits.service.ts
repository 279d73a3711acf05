import { Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { RestError } from '../../kernel/http/http-error.js';
import { closest } from '../../kernel/matchers/closest.js';
import { namesIn } from '../../kernel/matchers/matcher.js';
import { matches, NO_ALIASES, type Aliases } from '../../kernel/matchers/matches.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { cursorOf } from '../timeline/cursor.js';
import type { Entry } from '../timeline/entry.js';
import { Feeds } from '../timeline/feeds.js';
import { fieldsOf } from '../timeline/shape.js';
import { Timeline, type PlacedEntry } from '../timeline/timeline.service.js';
import { Idleness } from './idleness.js';
import { issueView, subjectOf } from './subjects.js';
import type { WaitRequest } from './wait-request.js';

/** The most waits of a sandbox on this replica. */
const MAX_WAITS = 1_000;
/** Entries that are kept to report the closest ones. */
const CANDIDATES = 1_000;
/** The most stored messages and issues that are examined. */
const STORED = 2_000;

export interface WaitResult {
  readonly matched: boolean;
  readonly entries: Entry[];
  readonly closest?: object[];
  readonly cursor: string;
  readonly waited_ms: number;
}

/**
 * Waits until something has happened (docs/reference/sandboxes.md#waiting), driven by the timeline instead of polling
 * the store.
 */
@Injectable()
export class Waits {
  private readonly waiting = new Map<number, number>();

  constructor(
    private readonly timeline: Timeline,
    private readonly feeds: Feeds,
    private readonly views: SandboxViews,
    private readonly idleness: Idleness,
  ) {}

  /** The number of waits on this replica. */
  get count(): number {
    return [...this.waiting.values()].reduce((sum, waiting) => sum + waiting, 0);
  }

  /** @throws RestError 503 when too many wait, or the server stops */
  async wait(tenantId: number, request: WaitRequest): Promise<WaitResult> {
    const waiting = this.waiting.get(tenantId) ?? 0;
    if (waiting >= MAX_WAITS || this.feeds.stopping) throw new RestError(503, 'service_unavailable', 1);
    this.waiting.set(tenantId, waiting + 1);
    try {
      return await new Wait(tenantId, request, this).run();
    } finally {
      const left = (this.waiting.get(tenantId) ?? 1) - 1;
      if (left > 0) this.waiting.set(tenantId, left);
      else this.waiting.delete(tenantId);
    }
  }

  /** @internal */
  readonly parts = () => ({
    timeline: this.timeline,
    feeds: this.feeds,
    views: this.views,
    idleness: this.idleness,
  });
}

/** One wait. */
class Wait {
  private readonly startedAt = performance.now();
  private readonly found: Entry[] = [];
  private readonly candidates: PlacedEntry[] = [];
  private readonly parts: ReturnType<Waits['parts']>;
  private place = 0;
  private matchedPlace = 0;
  private aliases: Aliases = NO_ALIASES;
  private readonly names: string[];
  private queue: Promise<void> = Promise.resolve();
  private settle: (matched: boolean) => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;

  constructor(
    private readonly tenantId: number,
    private readonly request: WaitRequest,
    waits: Waits,
  ) {
    this.parts = waits.parts();
    this.names = request.where ? [...namesIn(request.where)] : [];
  }

  async run(): Promise<WaitResult> {
    const { request, tenantId, parts } = this;
    const deadline = this.startedAt + (request.for === 'quiet' ? request.quietMs : request.timeoutMs);
    await parts.timeline.complete(tenantId);
    if (request.for === 'idle') return this.idle(deadline);
    const state = await parts.timeline.state(tenantId);
    const { after } = request;
    const from = after === 'now' ? state.last : after === 'mark' ? state.mark : after === 'start' ? state.floor : after;
    this.place = Math.max(from, state.floor);
    await this.lookUp();
    await this.lookAtStored();
    if (this.isDone) return this.answer(true);
    const matched = await this.follow(deadline);
    return await this.answer(matched);
  }

  private get isDone(): boolean {
    return this.found.length >= this.request.count;
  }

  private async follow(deadline: number): Promise<boolean> {
    const { feeds } = this.parts;
    const isQuiet = this.request.for === 'quiet';
    let timer: NodeJS.Timeout | undefined;
    let leave: (() => void) | undefined;
    let unhear: (() => void) | undefined;
    try {
      const ended = new Promise<boolean>((resolve, reject) => {
        this.settle = resolve;
        this.fail = reject;
      });
      ended.catch(() => undefined);
      unhear = feeds.onStop(() => this.fail(new RestError(503, 'service_unavailable', 1)));
      leave = await feeds.follow(this.tenantId, this.place, { entries: (entries) => this.take(entries) });
      timer = setTimeout(
        () => {
          // entries up to now count, including those not written yet
          void this.parts.timeline
            .complete(this.tenantId)
            .then(() => new Promise((resolve) => setTimeout(resolve, 10)))
            .then(() => this.queue)
            .then(() => this.settle(isQuiet ? this.found.length === 0 : this.isDone), this.fail);
        },
        Math.max(0, deadline - performance.now()),
      );
      await this.queue;
      return await ended;
    } finally {
      clearTimeout(timer);
      leave?.();
      unhear?.();
    }
  }

  /** Entries are evaluated one batch after the other: names may have to be resolved in between. */
  private take(entries: readonly PlacedEntry[]): void {
    if (this.names.length === 0) return this.judge(entries);
    this.queue = this.queue
      .then(() => this.lookUp())
      .then(() => this.judge(entries))
      .catch((error: unknown) => this.fail(error));
  }

  private judge(entries: readonly PlacedEntry[]): void {
    const isQuiet = this.request.for === 'quiet';
    for (const placed of entries) {
      if (this.isDone && !isQuiet) break;
      this.place = Math.max(this.place, placed.seq);
      const subject = subjectOf(this.request, placed.entry);
      if (subject === undefined) continue;
      if (this.request.where === null || matches(this.request.where, subject, this.aliases)) {
        this.found.push(placed.entry);
        this.matchedPlace = placed.seq;
        if (isQuiet) return this.settle(false);
      } else {
        this.candidates.push(placed);
        if (this.candidates.length > 2 * CANDIDATES) this.candidates.splice(0, CANDIDATES);
      }
    }
    if (this.isDone && !isQuiet) this.settle(true);
  }

  private async lookUp(): Promise<void> {
    if (this.names.length > 0) this.aliases = await this.parts.views.aliases(this.tenantId, this.names);
  }

  /** Messages older than the timeline, and issues in their current state. */
  private async lookAtStored(): Promise<void> {
    const { request, tenantId, parts } = this;
    const work = new LongWork();
    if (request.for === 'message' && request.after === 'start') {
      const inTimeline = new Set<unknown>();
      for await (const { entry } of parts.timeline.walk(tenantId, { after: this.place, kinds: ['event'] })) {
        const subject = subjectOf(request, entry) as { channel?: unknown; ts?: unknown } | undefined;
        if (subject) inTimeline.add(`${String(subject.channel)} ${String(subject.ts)}`);
      }
      const stored = await parts.views.messages(tenantId, STORED);
      for (const data of stored.toReversed()) {
        await work.pause();
        if (this.isDone) return;
        if (inTimeline.has(`${String(data['channel'])} ${String(data['ts'])}`) || data['subtype'] !== undefined)
          continue;
        if (request.where === null || matches(request.where, data, this.aliases)) {
          this.found.push(storedEntry('message', 'chat', data));
        }
      }
    }
    if (request.for === 'issue') {
      for (const issue of await parts.views.issues(tenantId, STORED)) {
        await work.pause();
        if (this.isDone) return;
        if (request.where === null || matches(request.where, issueView(issue, request.where), this.aliases)) {
          this.found.push(storedEntry('issue', 'tracker', issue));
        }
      }
    }
  }

  private async idle(deadline: number): Promise<WaitResult> {
    for (;;) {
      if (this.parts.feeds.stopping) throw new RestError(503, 'service_unavailable', 1);
      const isIdle = await this.parts.idleness.isIdle(this.tenantId, this.request.where);
      if (isIdle || performance.now() >= deadline) {
        this.place = (await this.parts.timeline.state(this.tenantId)).last;
        return this.answer(isIdle);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private async answer(matched: boolean): Promise<WaitResult> {
    const { request, found } = this;
    const entries = request.for === 'quiet' ? found.slice(0, 1) : found.slice(0, request.count);
    const cursor = matched && this.matchedPlace > 0 ? this.matchedPlace : this.place;
    return {
      matched,
      entries,
      ...(!matched && request.for !== 'quiet' && { closest: await this.closest() }),
      cursor: cursorOf(cursor),
      waited_ms: Math.round(performance.now() - this.startedAt),
    };
  }

  private async closest(): Promise<object[]> {
    const { where } = this.request;
    if (where === null) return [];
    const happened = this.candidates.slice(-CANDIDATES).map(({ entry }) => entry);
    return closest(where, [...(await this.standing(happened)), ...happened], this.aliases, {
      of: (entry) =>
        entry.id === NOWHERE ? issueView(fieldsOf(entry['data']), where) : subjectOf(this.request, entry),
    });
  }

  /** Issues as they are, of which nothing happened meanwhile. */
  private async standing(happened: readonly Entry[]): Promise<Entry[]> {
    if (this.request.for !== 'issue') return [];
    const changed = new Set(happened.map((entry) => fieldsOf(fieldsOf(entry['data'])['data'])['id']));
    const issues = await this.parts.views.issues(this.tenantId, STORED);
    return issues.filter(({ id }) => !changed.has(id)).map((issue) => storedEntry('issue', 'tracker', issue));
  }
}

/** The place of what is stored without an entry. */
const NOWHERE = cursorOf(0);

/** Something stored without an entry, in the format of its event. */
const storedEntry = (event: string, product: string, data: Readonly<Record<string, unknown>>): Entry => {
  const at = momentOf(data) ?? new Date(0).toISOString();
  return { id: NOWHERE, at, wall: at, kind: 'event', product, event, data };
};

function momentOf({ ts, updatedAt }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof ts === 'string') return new Date(Number(ts) * 1000).toISOString();
  return typeof updatedAt === 'string' ? updatedAt : undefined;
}
