import { Inject, Injectable } from '@nestjs/common';
import { shiftedBy } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { numberArray, textArray } from '../../kernel/database/array-parameters.js';
import { Db } from '../../kernel/database/db.js';
import { MAX_PAGE_ENTRIES, MAX_PAGE_LENGTH, PageBuilder, type EventPlace, type Page, type Rendered } from './page.js';
import { APPEND, STORED, TRIM, UNPLACED, type UnplacedRow } from './timeline.queries.js';
import { lru } from '../../kernel/lru.js';

/** Approximate size of an entry besides its texts, in bytes. */
const ENTRY_BYTES = 120;
const MAX_TRIES = 20;
/** The most appends without an answer of which it is found out whether they were stored. */
const MAX_UNANSWERED = 1_000;

type Row<R> = R & { [column: string]: unknown };

interface Event extends EventPlace {
  readonly cause: string | null;
}

/** A timeline as it was read, and what is to be appended. */
interface Addition {
  readonly row: UnplacedRow;
  readonly pages: readonly Page[];
}

/** An append without an answer: whether it was stored is seen by its first page. */
interface Unanswered {
  readonly tenantId: number;
  readonly lastSeq: number;
  readonly heads: string;
  readonly entries: readonly Rendered[];
}

/** What a sandbox's timeline grew by. */
interface Growth {
  entries: number;
  bytes: number;
}

/** Appends entries to timelines, with the events that have no position yet, and trims timelines that have grown. */
@Injectable()
export class PageWriter {
  /** Since they were trimmed. One that has been forgotten is trimmed the next time. */
  private readonly grown = lru<number, Growth>(10_000);
  /** Of sandboxes to which nothing was appended since. */
  private unanswered: readonly Unanswered[] = [];
  /** Entries that are stored: who brings them again does not know. */
  private readonly stored = new WeakSet<Rendered>();

  constructor(
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /**
   * Resolves to those sandboxes that grew.
   * @param withLaterEvents also events after the last entry; otherwise those wait for the entries of their calls
   */
  async append(
    tenants: readonly number[],
    entriesOf: ReadonlyMap<number, readonly Rendered[]>,
    withLaterEvents: boolean,
  ): Promise<number[]> {
    const grown: number[] = [];
    let missing = tenants;
    for (let tries = 1; missing.length > 0; tries++) {
      const rows = await this.read(missing);
      grown.push(...(await this.findStored(missing)));
      const additions = this.additionsTo(rows, entriesOf, withLaterEvents);
      if (additions.length === 0) break;
      const stored = new Set(await this.store(additions, entriesOf));
      missing = [];
      for (const { row, pages } of additions) {
        const entries = pages.reduce((sum, page) => sum + page.entries, 0);
        if (!stored.has(row.tenant_id)) missing = [...missing, row.tenant_id];
        else {
          grown.push(row.tenant_id);
          // what fails behind this brings all entries again
          for (const entry of entriesOf.get(row.tenant_id) ?? []) this.stored.add(entry);
          await this.trimWhenGrown(row.tenant_id, entries, bytesOf(pages));
        }
      }
      // somebody else appended in between
      if (tries >= MAX_TRIES && missing.length > 0) throw new Error('the timeline changes all the time');
    }
    return grown;
  }

  private async read(tenants: readonly number[]): Promise<UnplacedRow[]> {
    return this.db.run<Row<UnplacedRow>>(UNPLACED, [numberArray(tenants), this.settings.timelineMaxEntries]);
  }

  private additionsTo(
    rows: readonly UnplacedRow[],
    entriesOf: ReadonlyMap<number, readonly Rendered[]>,
    withLaterEvents: boolean,
  ): Addition[] {
    const found = new Map<number, { row: UnplacedRow; events: Event[] }>();
    for (const row of rows) {
      let own = found.get(row.tenant_id);
      if (!own) found.set(row.tenant_id, (own = { row, events: [] }));
      if (row.id !== null) own.events.push({ id: row.id, wallMs: row.wall_ms, bytes: row.bytes, cause: row.cause });
    }
    return [...found.values()]
      .map(({ row, events }) => {
        const entries = (entriesOf.get(row.tenant_id) ?? []).filter((entry) => !this.stored.has(entry));
        return { row, pages: this.pagesOf(row, events, entries, withLaterEvents) };
      })
      .filter(({ pages }) => pages.length > 0);
  }

  /**
   * Entries and events by time; an event comes right before its call or what it caused, whatever the clocks of the process
   * and of the store say.
   */
  private pagesOf(
    { shift }: UnplacedRow,
    events: readonly Event[],
    entries: readonly Rendered[],
    withLaterEvents: boolean,
  ): Page[] {
    const { timelineMaxEntries, timelineMaxBytes } = this.settings;
    const lastOf = new Map(events.map(({ cause }, i) => [cause, i]));
    // how many entries of a request are still to come
    const toCome = new Map<unknown, number>();
    for (const { request } of entries) toCome.set(request, (toCome.get(request) ?? 0) + 1);
    // a timeline is trimmed by whole pages
    const empty = (): PageBuilder =>
      new PageBuilder(
        Math.min(MAX_PAGE_ENTRIES, Math.ceil(timelineMaxEntries / 20)),
        Math.min(MAX_PAGE_LENGTH, timelineMaxBytes / 20),
      );
    const pages: Page[] = [];
    let builder = empty();
    const turnPage = (): void => {
      if (!builder.isFull) return;
      pages.push(builder.build());
      builder = empty();
    };
    let next = 0;
    const placeEvents = (isEarlier: (event: Event, i: number) => boolean): void => {
      for (let event = events[next]; event && isEarlier(event, next); event = events[++next]) {
        builder.addEvent(event);
        turnPage();
      }
    };
    const awaitsOwn = ({ cause }: Event): boolean => cause !== null && (toCome.get(cause) ?? 0) > 0;
    for (const entry of entries) {
      const upTo = (entry.request === undefined ? undefined : lastOf.get(entry.request as string)) ?? -1;
      placeEvents((event, i) => i <= upTo || (event.wallMs <= entry.wallMs && !awaitsOwn(event)));
      toCome.set(entry.request, (toCome.get(entry.request) ?? 1) - 1);
      builder.add(entry, entry.atMs ?? shiftedBy(shift, entry.wallMs));
      turnPage();
    }
    if (withLaterEvents) placeEvents(() => true);
    if (!builder.isEmpty) pages.push(builder.build());
    return pages;
  }

  /**
   * Finds out what earlier appends stored, and answers their sandboxes. It comes after the timelines were read: an append
   * that is stored only now takes the place that they have for the next one, which then begins again.
   */
  private async findStored(tenants: readonly number[]): Promise<number[]> {
    const asked = this.unanswered.filter(({ tenantId }) => tenants.includes(tenantId));
    if (asked.length === 0) return [];
    const rows = await this.db.run<{ n: number }>(STORED, [
      numberArray(asked.map(({ tenantId }) => tenantId)),
      numberArray(asked.map(({ lastSeq }) => lastSeq)),
      textArray(asked.map(({ heads }) => heads)),
    ]);
    const found = new Set(rows.map(({ n }) => asked[n - 1] as Unanswered));
    for (const { entries } of found) for (const entry of entries) this.stored.add(entry);
    this.unanswered = this.unanswered.filter((one) => !found.has(one));
    return [...found].map(({ tenantId }) => tenantId);
  }

  private async store(
    additions: readonly Addition[],
    entriesOf: ReadonlyMap<number, readonly Rendered[]>,
  ): Promise<number[]> {
    try {
      const stored = new Set(await this.storePages(additions));
      this.unanswered = this.unanswered.filter(({ tenantId }) => !stored.has(tenantId));
      return [...stored];
    } catch (error) {
      const unanswered = additions.flatMap(({ row: { tenant_id: tenantId, last_seq: lastSeq }, pages: [page] }) =>
        page
          ? [{ tenantId, lastSeq: lastSeq + page.entries, heads: page.heads, entries: entriesOf.get(tenantId) ?? [] }]
          : [],
      );
      this.unanswered = [...this.unanswered, ...unanswered].slice(-MAX_UNANSWERED);
      throw error;
    }
  }

  /** Answers the sandboxes whose timelines were as they had been read. */
  private async storePages(additions: readonly Addition[]): Promise<number[]> {
    const all = additions.flatMap(({ row, pages }) => {
      let last = row.last_seq;
      return pages.map((page) => {
        const mark = page.mark === 0 ? 0 : last + page.mark;
        last += page.entries;
        return { row, page, mark };
      });
    });
    const rows = await this.db.run<{ tenant_id: number }>(APPEND, [
      numberArray(all.map(({ row }) => row.tenant_id)),
      numberArray(all.map(({ row }) => row.last_seq)),
      numberArray(all.map(({ row }) => row.clearings)),
      numberArray(all.map(({ page }) => page.entries)),
      numberArray(all.map(({ page }) => page.wallMs)),
      textArray(all.map(({ page }) => `{${[...page.kinds].join(',')}}`)),
      textArray(all.map(({ page }) => (page.events.length === 0 ? null : numberArray(page.events)))),
      textArray(all.map(({ page }) => page.heads)),
      textArray(all.map(({ page }) => page.bodies)),
      numberArray(all.map(({ page }) => page.bytes)),
      numberArray(all.map(({ mark }) => mark)),
    ]);
    return rows.map(({ tenant_id }) => tenant_id);
  }

  /** A sandbox's pages are trimmed when a twentieth of its entries is new. */
  private async trimWhenGrown(tenantId: number, entries: number, bytes: number): Promise<void> {
    const { timelineMaxEntries: maxEntries, timelineMaxBytes: maxBytes } = this.settings;
    const grown = this.grown.get(tenantId) ?? { entries: maxEntries, bytes: maxBytes };
    grown.entries += entries;
    grown.bytes += bytes + entries * ENTRY_BYTES;
    this.grown.set(tenantId, grown);
    if (grown.entries < maxEntries / 20 && grown.bytes < maxBytes / 20) return;
    this.grown.set(tenantId, { entries: 0, bytes: 0 });
    await this.db.run(TRIM, [tenantId, maxEntries, maxBytes]);
  }
}

const bytesOf = (pages: readonly Page[]): number => pages.reduce((sum, { bytes }) => sum + bytes, 0);
