import { Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { Db } from '../../kernel/database/db.js';
import type { Entry } from './entry.js';
import { KnownSecrets, type HideSecrets } from './known-secrets.js';
import { readHeads, StoredBodies } from './page.js';
import { shapeEntry, shapeEvent } from './shape.js';
import { EVENTS_OF_PAGES, PAGES_ASC, PAGES_DESC, type EventRow, type PageRow } from './timeline.queries.js';

/** An entry with its position. */
export interface PlacedEntry {
  readonly seq: number;
  readonly entry: Entry;
  readonly bytes: number;
}

/** The range of entries to read: between these positions. */
export interface Range {
  readonly after: number;
  readonly before: number;
  readonly kinds?: readonly string[] | null | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** A condition on the stored fields of calls; others may be left out. */
  readonly heads?: readonly string[] | null | undefined;
}

export interface ReadEntries {
  readonly placed: PlacedEntry[];
  /** The position up to which the last of the pages goes. */
  readonly last: number;
  /** What was not read; undefined when nothing is left. */
  readonly rest: Range | undefined;
}

type Row<R> = R & { [column: string]: unknown };

/** Reads stored pages. */
@Injectable()
export class PageReader {
  constructor(
    private readonly db: Db,
    private readonly secrets: KnownSecrets,
  ) {}

  /** About `most` entries, from the beginning of a range on, or from its end when the newest come first. */
  async read(tenantId: number, range: Range, most: number): Promise<ReadEntries> {
    const { after, before, kinds = null, order = 'asc', heads = null } = range;
    const statement = order === 'desc' ? PAGES_DESC : PAGES_ASC;
    const pages = await this.db.read<Row<PageRow>>(statement, [tenantId, after, before, kinds, most, heads]);
    const hide = this.secrets.hiderFor(tenantId);
    const events = await this.eventsOf(pages, kinds, hide);
    const placed: PlacedEntry[] = [];
    const work = new LongWork();
    for (const page of pages) {
      const shown = { ...page, heads: await hide(page.heads), bodies: await hide(page.bodies) };
      const own: PlacedEntry[] = [];
      for (const entry of entriesOf(shown, range, events)) {
        own.push(entry);
        await work.pause();
      }
      placed.push(...(order === 'desc' ? own.toReversed() : own));
    }
    const last = pages.at(-1);
    if (!last) return { placed, last: after, rest: undefined };
    const rest =
      order === 'desc' ? { ...range, before: last.last_seq - last.entries + 1 } : { ...range, after: last.last_seq };
    const mayHaveMore = pages.reduce((sum, { entries }) => sum + entries, 0) >= most && rest.before - rest.after > 1;
    return { placed, last: last.last_seq, rest: mayHaveMore ? rest : undefined };
  }

  private async eventsOf(
    pages: readonly PageRow[],
    kinds: readonly string[] | null,
    hide: HideSecrets,
  ): Promise<ReadonlyMap<number, EventRow>> {
    const ids = kinds && !kinds.includes('event') ? [] : pages.flatMap(({ events }) => events ?? []);
    const rows = ids.length === 0 ? [] : await this.db.read<Row<EventRow>>(EVENTS_OF_PAGES, [ids]);
    const shown = rows.map(async (row) => [row.id, { ...row, data: await hide(row.data) }] as const);
    return new Map(await Promise.all(shown));
  }
}

/** A page's entries in a range, without events that have gone. No bodies: its calls are not wanted. */
function* entriesOf(
  { last_seq: lastSeq, entries, heads, bodies }: PageRow,
  { after, before, kinds }: Range,
  events: ReadonlyMap<number, EventRow>,
): Generator<PlacedEntry> {
  const stored = bodies === null ? undefined : new StoredBodies(bodies);
  let seq = lastSeq - entries;
  let n = -1;
  for (const item of readHeads(heads)) {
    seq++;
    const isEvent = typeof item === 'number';
    if (!isEvent) n++;
    if (seq <= after || seq >= before) continue;
    if (isEvent) {
      const row = events.get(item);
      if (row) yield { seq, entry: shapeEvent(seq, row), bytes: row.bytes };
      continue;
    }
    const [at, wall, kind, bytes, head] = item;
    if (stored && (!kinds || kinds.includes(kind)))
      yield { seq, entry: shapeEntry(seq, { at, wall, kind, head, body: stored.at(n) }), bytes };
  }
}
