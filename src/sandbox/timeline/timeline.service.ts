import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { NO_ALIASES } from '../../kernel/matchers/matches.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { cursorOf } from './cursor.js';
import type { Entry } from './entry.js';
import { headsOf, namesOf, passes, type Filters } from './filters.js';
import { Recorder } from './recorder.js';
import { Replicas } from './replicas.js';
import { PageReader, type PlacedEntry, type Range as Stretch } from './page-reader.js';
import { summarize } from './shape.js';
import { CLEAR, SET_MARK, STATE, type StateRow } from './timeline.queries.js';

export type { PlacedEntry };

export interface Page {
  readonly entries: Entry[];
  readonly cursor: string;
  readonly more: boolean;
}

export interface TimelineState {
  /** The position of the newest entry. */
  readonly last: number;
  readonly mark: number;
  /** The position before the oldest stored entry. */
  readonly floor: number;
}

/** Entries to be read. */
interface Range {
  readonly after: number;
  readonly before?: number | null;
  readonly kinds?: readonly string[] | null;
  readonly order?: 'asc' | 'desc';
  /** A condition on the stored fields of calls. */
  readonly heads?: readonly string[] | null;
  /** Entries of the first read, when all of them may be wanted. */
  readonly first?: number;
}

/** Entries per read when they are filtered afterwards. */
const PAGE = 500;
const END = Number.MAX_SAFE_INTEGER;

type Row<R> = R & { [column: string]: unknown };

/** Reads timelines. */
@Injectable()
export class Timeline {
  private readonly clearListeners = new Set<(tenantId: number) => void>();

  constructor(
    private readonly db: Db,
    private readonly pages: PageReader,
    private readonly recorder: Recorder,
    private readonly replicas: Replicas,
    private readonly views: SandboxViews,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    replicas.subscribe('cleared', (tenantId) => this.announceCleared(Number(tenantId)));
  }

  onCleared(listener: (tenantId: number) => void): void {
    this.clearListeners.add(listener);
  }

  /** Resolves when everything that was answered before, on any replica, is stored. */
  complete(tenantId: number): Promise<void> {
    return this.recorder.complete(tenantId);
  }

  /** One query serves all calls that arrive while it runs. */
  readonly state = coalesce((tenants: number[]) => shared(tenants, (tenantId) => this.readState(tenantId)), {
    name: 'timeline.state',
    max: 1_000,
  });

  private async readState(tenantId: number): Promise<TimelineState> {
    const [row] = await this.db.read<Row<StateRow>>(STATE, [tenantId, this.settings.timelineMaxEntries]);
    if (!row) return { last: 0, mark: 0, floor: 0 };
    return { last: row.last_seq, mark: row.mark, floor: Math.max(row.cleared_seq, (row.oldest ?? 1) - 1) };
  }

  /** All entries in a range, read once for all concurrent readers of the same range: `tenant:after:last`. */
  readonly between = coalesce((asked: string[]) => shared(asked, (key) => this.readBetween(key)), {
    name: 'timeline.between',
    max: 1_000,
  });

  private async readBetween(key: string): Promise<readonly PlacedEntry[]> {
    const [tenantId = 0, after = 0, last = 0] = key.split(':').map(Number);
    const all: PlacedEntry[] = [];
    if (last > after) for await (const placed of this.walk(tenantId, { after }, last)) all.push(placed);
    return all;
  }

  /** Matching entries, as many as requested. */
  async page(tenantId: number, filters: Filters): Promise<Page> {
    await this.complete(tenantId);
    const [state, aliases] = await Promise.all([this.state(tenantId), this.views.aliases(tenantId, namesOf(filters))]);
    const start = startOf(filters, state);
    const found: PlacedEntry[] = [];
    const range = {
      ...filters,
      after: Math.max(start, state.floor),
      heads: headsOf(filters),
      first: filters.limit + 1,
    };
    for await (const placed of this.walk(tenantId, range, state.last)) {
      if (!passes(filters, placed.entry, aliases)) continue;
      found.push(placed);
      if (found.length > filters.limit) break;
    }
    const more = found.length > filters.limit;
    const shown = more ? found.slice(0, filters.limit) : found;
    const end = filters.order === 'asc' ? Math.max(start, state.last) : start;
    // no more in this direction: the next call continues after everything that was read
    const last = more || (filters.order === 'desc' && shown.length > 0) ? shown.at(-1)?.seq : end;
    return {
      entries: shown.map((placed) => view(placed, filters)),
      cursor: cursorOf(last ?? end),
      more,
    };
  }

  /** Entries after one position up to another, in order. */
  async *walk(tenantId: number, range: Range, upTo = END - 1): AsyncGenerator<PlacedEntry> {
    const { after, before, kinds, order, heads } = range;
    let rest: Stretch | undefined = { after, before: Math.min(before ?? END, upTo + 1), kinds, order, heads };
    for (let most = range.first ?? PAGE; rest && rest.before - rest.after > 1; most = PAGE) {
      const read = await this.pages.read(tenantId, rest, most);
      yield* read.placed;
      rest = read.rest;
    }
  }

  async entry(tenantId: number, seq: number): Promise<Entry | undefined> {
    await this.complete(tenantId);
    for await (const { entry } of this.walk(tenantId, { after: seq - 1, before: seq + 1 })) return entry;
    return undefined;
  }

  /** Sets the position from which waits begin. */
  async mark(tenantId: number): Promise<string> {
    await this.complete(tenantId);
    const [row] = await this.db.run<{ mark: number }>(SET_MARK, [tenantId]);
    return cursorOf(row?.mark ?? 0);
  }

  async clear(tenantId: number): Promise<void> {
    await this.complete(tenantId);
    await this.db.run(CLEAR, [tenantId]);
    this.announceCleared(tenantId);
    this.replicas.publish('cleared', String(tenantId));
  }

  private announceCleared(tenantId: number): void {
    for (const listener of this.clearListeners) listener(tenantId);
  }
}

/** Merges concurrent identical reads. */
async function shared<K, A>(asked: readonly K[], get: (key: K) => Promise<A>): Promise<A[]> {
  const got = new Map<K, Promise<A>>();
  for (const key of asked) if (!got.has(key)) got.set(key, get(key));
  return Promise.all(asked.map((key) => got.get(key) as Promise<A>));
}

export const view = ({ entry, bytes }: PlacedEntry, filters: Pick<Filters, 'view'>): Entry =>
  filters.view === 'summary' ? summarize(entry, bytes) : entry;

/** The position after which a reader starts. */
export function startOf(filters: Pick<Filters, 'after'>, state: TimelineState): number {
  if (filters.after === 'now') return state.last;
  if (filters.after === 'mark') return state.mark;
  return filters.after ?? 0;
}

export { NO_ALIASES };
