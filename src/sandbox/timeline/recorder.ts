import { AsyncResource } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { LongWork } from '../../kernel/clock/long-work.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Log } from '../../kernel/log/log.js';
import type { Draft } from './entry.js';
import { HeldEntries, type HeldEntry } from './held-entries.js';
import { PageWriter } from './page-writer.js';
import { Renderer, type Rendered } from './page.js';
import { Replicas } from './replicas.js';

/** Entries are written together, this long after the first of them at the latest; at once when somebody looks. */
const WRITE_AFTER_MS = 500;
/** They are written earlier when they take this much memory. */
const WRITE_AT_BYTES = 12 * 1024 * 1024;
/** In parts of this size: who looks waits for one of them at most. */
const PART_BYTES = 2 * 1024 * 1024;
/** The most memory of entries that wait, while the store is away or slow. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** Approximate memory of an entry besides its texts. */
const ENTRY_BYTES = 600;
const RETRY_MS = 500;

/**
 * Writes entries shortly after what they record, never in its transaction: what a call leaves here is rendered, redacted
 * and stored together with others, in the background (docs/decisions/journal.md).
 */
@Injectable()
export class Recorder implements OnApplicationShutdown {
  private readonly held: HeldEntries;
  private timer: NodeJS.Timeout | undefined;
  private dueAt = Infinity;
  private draining: Promise<void> | undefined;
  /** In no call's async context. */
  private readonly drainApart = AsyncResource.bind(() => this.drain());
  private failures = 0;
  private readonly listeners = new Set<(tenants: readonly number[]) => void>();
  private readonly ending = new Set<() => Promise<unknown>>();
  /** Sandboxes with waiting readers: their entries are written at once. */
  private watched: (tenantId: number) => boolean = () => false;
  /** Sandboxes whose entries are being written. */
  private readonly busy = new Map<number, Promise<void>>();
  /** Those that somebody waits for, and how many do: they are not written with others in the background. */
  private readonly wanted = new Map<number, number>();
  private readonly writeSome: (tenantId: number) => Promise<void>;
  private readonly writeOwn: (tenantId: number) => Promise<void>;
  private readonly writeMark: (tenantId: number) => Promise<void>;
  private readonly askOthers: (tenantId: number) => Promise<void>;

  constructor(
    private readonly pages: PageWriter,
    private readonly replicas: Replicas,
    private readonly log: Log,
    clock: Clock,
  ) {
    this.held = new HeldEntries(MAX_HELD_BYTES, (tenantId, dropped) => ({
      tenantId,
      size: ENTRY_BYTES,
      dropped,
      draft: () => droppedNote(tenantId, dropped, clock.wallMs()),
    }));
    // in no call's async context
    this.writeSome = coalesce(
      async (asked: number[]) => {
        await this.writeOf([...new Set(asked)]);
        return asked.map(() => undefined);
      },
      { name: 'timeline.write', inFlight: 1, max: 500 },
    );
    this.writeOwn = coalesce(
      async (asked: number[]) => {
        await this.writeOf([...new Set(asked)], false);
        return asked.map(() => undefined);
      },
      { name: 'timeline.write_own', inFlight: 1, max: 500 },
    );
    this.writeMark = coalesce(
      async (asked: number[]) => {
        await this.writeOf([asked[0] as number]);
        return asked.map(() => undefined);
      },
      { name: 'timeline.mark', inFlight: 1, lane: (tenantId) => tenantId },
    );
    this.askOthers = coalesce(
      async (asked: number[]) => {
        await this.replicas.ask('flush', [...new Set(asked)].join(','));
        return asked.map(() => undefined);
      },
      { name: 'timeline.complete', inFlight: 1, max: 500 },
    );
    replicas.answer('flush', async (tenants) => {
      // the events stay with who asks: their calls may have been answered there
      await Promise.all(tenants.split(',').map((tenantId) => this.whenFree(Number(tenantId), this.writeOwn)));
      return '';
    });
  }

  /** Last of all: before it the delivery engine ends, which lets attempts in flight finish. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.ending].map((finish) => finish()));
    clearTimeout(this.timer);
    await this.draining?.catch(() => undefined);
    await this.drain(0).catch(() => undefined);
    await Promise.allSettled(this.busy.values());
  }

  /** Called with sandboxes whose timeline grew, by this process. */
  onGrown(listener: (tenants: readonly number[]) => void): void {
    this.listeners.add(listener);
  }

  /** Called before the last entries are written: what is still to be added is added when it resolves. */
  onEnd(finish: () => Promise<unknown>): void {
    this.ending.add(finish);
  }

  writeAtOnceFor(watched: (tenantId: number) => boolean): void {
    this.watched = watched;
  }

  add(draft: Draft): void {
    this.addLater(draft.tenantId, () => draft);
  }

  /**
   * @param draft called when the entry is written, shortly afterwards
   * @param size characters that it holds until then
   */
  addLater(tenantId: number, draft: () => Draft, size = 0): void {
    this.held.add({ tenantId, draft, size: ENTRY_BYTES + 2 * size });
    if (this.watched(tenantId)) this.flush(tenantId).catch(() => this.drainIn(RETRY_MS));
    else this.drainIn(this.held.bytes >= WRITE_AT_BYTES ? 0 : WRITE_AFTER_MS);
  }

  /** Resolves when everything that was added, and every committed event of this sandbox, has its position. */
  flush(tenantId: number): Promise<void> {
    return this.whenFree(tenantId, this.writeSome);
  }

  /**
   * The same, but not behind the entries of other sandboxes: a test that resets waits for it. What cannot be written now
   * is written later, as usual.
   */
  mark(tenantId: number): Promise<void> {
    return this.whenFree(tenantId, this.writeMark);
  }

  /** The same on all replicas: everything answered before this is included after it. */
  async complete(tenantId: number): Promise<void> {
    await this.askOthers(tenantId);
    await this.flush(tenantId);
  }

  private drainIn(ms: number): void {
    if (this.draining) return;
    const dueAt = performance.now() + ms;
    if (this.timer && this.dueAt <= dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.draining = this.drainApart();
      this.draining.then(
        () => this.drained(WRITE_AFTER_MS),
        () => this.drained(RETRY_MS),
      );
    }, ms).unref();
  }

  private drained(ms: number): void {
    this.draining = undefined;
    if (!this.held.isEmpty) this.drainIn(ms);
  }

  /** Writes entries that wait, a part at a time, until few are left: those that come meanwhile are written together. */
  private async drain(fewBytes = WRITE_AT_BYTES): Promise<void> {
    do {
      const entries = this.held.take(PART_BYTES, (tenantId) => !this.busy.has(tenantId) && !this.wanted.has(tenantId));
      if (entries.length === 0) await this.somethingWritten();
      else await this.write([...new Set(entries.map(({ tenantId }) => tenantId))], entries, false);
    } while (!this.held.isEmpty && this.held.bytes >= fewBytes);
  }

  /** Entries that wait are those of sandboxes that are being written, or that others write. */
  private async somethingWritten(): Promise<void> {
    await Promise.allSettled(this.busy.values());
    if (this.wanted.size > 0) await new Promise((resume) => setTimeout(resume, 5));
  }

  /** Waits for the write of this sandbox that runs, if there is one, and for no other. */
  private async whenFree(tenantId: number, write: (tenantId: number) => Promise<void>): Promise<void> {
    this.wanted.set(tenantId, (this.wanted.get(tenantId) ?? 0) + 1);
    try {
      for (let running = this.busy.get(tenantId); running; running = this.busy.get(tenantId)) {
        await running.catch(() => undefined);
      }
      await write(tenantId);
    } finally {
      const left = (this.wanted.get(tenantId) ?? 1) - 1;
      if (left > 0) this.wanted.set(tenantId, left);
      else this.wanted.delete(tenantId);
    }
  }

  /** @param withLaterEvents see `PageWriter.append` */
  private async writeOf(tenants: readonly number[], withLaterEvents = true): Promise<void> {
    for (let running = this.writesOf(tenants); running.length > 0; running = this.writesOf(tenants)) {
      await Promise.allSettled(running);
    }
    const entries = this.held.takeOf(tenants);
    if (withLaterEvents || entries.length > 0) await this.write(tenants, entries, withLaterEvents);
  }

  private writesOf(tenants: readonly number[]): Promise<void>[] {
    return tenants.map((tenantId) => this.busy.get(tenantId)).filter((running) => running !== undefined);
  }

  /** One write of a sandbox at a time, so that its entries are in order. */
  private async write(
    tenants: readonly number[],
    entries: readonly HeldEntry[],
    withLaterEvents: boolean,
  ): Promise<void> {
    const written = this.append(tenants, entries, withLaterEvents);
    for (const tenantId of tenants) this.busy.set(tenantId, written);
    try {
      await written;
      this.failures = 0;
    } catch (error) {
      this.held.putBack(entries);
      if (this.failures++ === 0) this.log.warn('the timeline waits for the database', { error });
      this.drainIn(RETRY_MS);
      throw error;
    } finally {
      for (const tenantId of tenants) this.busy.delete(tenantId);
    }
  }

  private async append(
    tenants: readonly number[],
    entries: readonly HeldEntry[],
    withLaterEvents: boolean,
  ): Promise<void> {
    const grown = await this.pages.append(tenants, await this.render(entries), withLaterEvents);
    if (grown.length === 0) return;
    for (const listener of this.listeners) listener(grown);
    this.replicas.publish('grown', grown.slice(0, 500).join(','));
  }

  /** By sandbox; calls are answered in between. One that cannot be rendered is left out, and no other with it. */
  private async render(entries: readonly HeldEntry[]): Promise<Map<number, Rendered[]>> {
    const renderer = new Renderer();
    const bySandbox = new Map<number, Rendered[]>();
    const work = new LongWork();
    for (const entry of entries) {
      try {
        const rendered = (entry.rendered ??= renderer.render(entry.draft()));
        const own = bySandbox.get(entry.tenantId);
        if (own) own.push(rendered);
        else bySandbox.set(entry.tenantId, [rendered]);
      } catch (error) {
        this.log.error('an entry of a timeline cannot be written, and is left out', { tenant: entry.tenantId, error });
      }
      await work.pause();
    }
    return bySandbox;
  }
}

const droppedNote = (tenantId: number, dropped: number, wallMs: number): Draft => ({
  tenantId,
  atMs: null,
  wallMs,
  kind: 'note',
  head: {
    text: `${dropped} earlier entries are missing here: there were more than can be kept until they are written`,
  },
  body: { data: JSON.stringify({ missing: dropped }) },
});
