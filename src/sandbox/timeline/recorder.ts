import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { numberArray, textArray } from '../../kernel/database/array-parameters.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { Log } from '../../kernel/log/log.js';
import type { Draft } from './entry.js';
import { Replicas } from './replicas.js';
import { writeBody } from './shape.js';
import { APPEND, MARK_LAST, TRIM, type AppendedRow } from './timeline.queries.js';

/** Entries are written together, this long after the first of them at the latest. */
const WRITE_AFTER_MS = 25;
/** Entries of one statement. */
const MAX_BATCH = 1_000;
/** Entries held in memory while the store is away; the oldest are dropped first. */
const MAX_HELD = 20_000;
/** Approximate size of an entry besides its texts, in bytes. */
const ENTRY_BYTES = 120;
const RETRY_MS = 500;

/** An entry that is formatted when it is written. */
interface PendingEntry {
  readonly tenantId: number;
  readonly shape: () => Draft;
  written?: { readonly draft: Draft; readonly head: string; readonly body: string };
}

/** Entries of these kinds are marks. */
const MARKS = new Set(['seed', 'reset']);

const written = (draft: Draft): NonNullable<PendingEntry['written']> => ({
  draft,
  head: JSON.stringify(draft.head),
  body: writeBody(draft),
});

/**
 * Writes entries shortly after what they record, never in its transaction: many in one statement. The same statement
 * assigns positions to the events that have none yet.
 */
@Injectable()
export class Recorder implements BeforeApplicationShutdown {
  private waiting: PendingEntry[] = [];
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private readonly grown = new Map<number, { entries: number; bytes: number }>();
  private readonly listeners = new Set<(tenants: readonly number[]) => void>();
  /** Sandboxes with waiting readers: their entries are written at once. */
  private watched: (tenantId: number) => boolean = () => false;
  private readonly write: (tenantId: number | null) => Promise<void>;
  private readonly writeMark: (tenantId: number) => Promise<void>;
  /** Sandboxes whose entries are being written, and when that is done. */
  private writing: { readonly tenants: ReadonlySet<number>; readonly done: Promise<unknown> } | undefined;
  private readonly askOthers: (key: string) => Promise<void>;

  constructor(
    private readonly db: Db,
    private readonly replicas: Replicas,
    private readonly log: Log,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    // one write after the other, for all callers that arrive meanwhile; in no call's async context
    this.write = coalesce(
      async (asked: (number | null)[]) => {
        await this.writeAll([...new Set(asked)].filter((tenantId) => tenantId !== null));
        return asked.map(() => undefined);
      },
      { name: 'timeline.write', inFlight: 1, max: 500 },
    );
    this.writeMark = coalesce(
      async (asked: number[]) => {
        await this.writeAllOf(asked[0] as number);
        return asked.map(() => undefined);
      },
      { name: 'timeline.mark', inFlight: 1, lane: (tenantId) => tenantId },
    );
    this.askOthers = coalesce(
      async (keys: string[]) => {
        await this.replicas.ask('flush', '');
        return keys.map(() => undefined);
      },
      { name: 'timeline.complete', inFlight: 1 },
    );
    replicas.answer('flush', async () => {
      await this.flush(null);
      return '';
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush(null).catch(() => undefined);
  }

  /** Called with sandboxes whose timeline grew, by this process. */
  onGrown(listener: (tenants: readonly number[]) => void): void {
    this.listeners.add(listener);
  }

  writeAtOnceFor(watched: (tenantId: number) => boolean): void {
    this.watched = watched;
  }

  add(draft: Draft): void {
    this.addLater(draft.tenantId, () => draft);
  }

  /** `shape` is called when the entry is written, shortly afterwards. */
  addLater(tenantId: number, shape: () => Draft): void {
    this.waiting.push({ tenantId, shape });
    if (this.waiting.length > MAX_HELD) this.waiting.splice(0, this.waiting.length - MAX_HELD);
    this.writeIn(this.watched(tenantId) ? 1 : WRITE_AFTER_MS);
  }

  /** Resolves when everything that was added, and every committed event of this sandbox, has its position. */
  async flush(tenantId: number | null): Promise<void> {
    await this.write(tenantId);
  }

  /**
   * Like `flush`, for one sandbox: a test that resets waits for it, so it does not queue behind the entries of others.
   * What cannot be written now is written later, as usual.
   */
  async mark(tenantId: number): Promise<void> {
    await this.writeMark(tenantId);
  }

  /** The same on all replicas: everything answered before this is included after it. */
  async complete(tenantId: number): Promise<void> {
    await this.askOthers('');
    await this.write(tenantId);
  }

  private writeIn(ms: number): void {
    if (this.timer && ms >= WRITE_AFTER_MS) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush(null).catch(() => this.writeIn(RETRY_MS));
    }, ms).unref();
  }

  private async writeAll(tenants: readonly number[]): Promise<void> {
    do {
      const batch = this.waiting.splice(0, MAX_BATCH);
      if (batch.length === 0 && tenants.length === 0) return;
      try {
        const done = this.writeBatch(tenants, batch);
        this.writing = { tenants: new Set(batch.map(({ tenantId }) => tenantId)), done };
        await done;
        this.failures = 0;
      } catch (error) {
        this.waiting.unshift(...batch);
        if (this.failures++ === 0) this.log.warn('the timeline waits for the database', { error });
        throw error;
      }
    } while (this.waiting.length > 0);
  }

  private async writeAllOf(tenantId: number): Promise<void> {
    const { writing } = this;
    if (writing?.tenants.has(tenantId)) await writing.done.catch(() => undefined);
    const own = this.waiting.filter((entry) => entry.tenantId === tenantId);
    this.waiting = this.waiting.filter((entry) => entry.tenantId !== tenantId);
    try {
      await this.writeBatch([tenantId], own);
    } catch (error) {
      this.waiting.unshift(...own);
      this.writeIn(RETRY_MS);
      throw error;
    }
  }

  private async writeBatch(tenants: readonly number[], batch: readonly PendingEntry[]): Promise<void> {
    const entries = batch.map((waiting) => (waiting.written ??= written(waiting.shape())));
    const rows = await this.db.run<AppendedRow & { [column: string]: unknown }>(APPEND, [
      numberArray([...new Set([...tenants, ...batch.map(({ tenantId }) => tenantId)])]),
      numberArray(entries.map(({ draft }) => draft.tenantId)),
      numberArray(entries.map(({ draft }) => draft.atMs)),
      numberArray(entries.map(({ draft }) => draft.wallMs)),
      textArray(entries.map(({ draft }) => draft.kind)),
      textArray(entries.map(({ head }) => head)),
      textArray(entries.map(({ body }) => body)),
      numberArray(entries.map(({ head, body }) => head.length + body.length)),
      this.settings.timelineMaxEntries,
    ]);
    const marks = entries.filter(({ draft }) => MARKS.has(draft.kind)).map(({ draft }) => draft.tenantId);
    if (marks.length > 0) await this.db.run(MARK_LAST, [[...new Set(marks)], [...MARKS]]);
    if (rows.length === 0) return;
    for (const row of rows) await this.trimWhenGrown(row);
    const grown = rows.map(({ tenant_id }) => tenant_id);
    for (const listener of this.listeners) listener(grown);
    this.replicas.publish('grown', grown.slice(0, 500).join(','));
  }

  /** A sandbox's entries are trimmed when a twentieth of them is new. */
  private async trimWhenGrown({ tenant_id: tenantId, entries, bytes }: AppendedRow): Promise<void> {
    const { timelineMaxEntries: maxEntries, timelineMaxBytes: maxBytes } = this.settings;
    const grown = this.grown.get(tenantId) ?? { entries: maxEntries, bytes: maxBytes };
    if (this.grown.size > 50_000) this.grown.clear();
    grown.entries += entries;
    grown.bytes += bytes + entries * ENTRY_BYTES;
    this.grown.set(tenantId, grown);
    if (grown.entries < maxEntries / 20 && grown.bytes < maxBytes / 20) return;
    this.grown.set(tenantId, { entries: 0, bytes: 0 });
    await this.db.run(TRIM, [tenantId, maxEntries, maxBytes]);
  }
}
