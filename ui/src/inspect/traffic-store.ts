import { rest } from '../api/client.js';
import { follow } from '../api/sse.js';
import { Store } from '../kit/store.js';
import type { Entry } from './entries.js';
import { toQuery, type Filters } from './filters.js';

/** The most entries that are kept. */
export const MAX_KEPT = 10_000;

const PAGE = 200;
const HIDDEN_MS = 30_000;

export interface Traffic {
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** Entries that arrived while the view was paused. */
  readonly waiting: readonly Entry[];
  readonly isHeld: boolean;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly isLive: boolean;
  readonly error: unknown;
}

const NOTHING: Traffic = {
  entries: [],
  waiting: [],
  isHeld: false,
  hasOlder: false,
  isLoading: true,
  isLive: false,
  error: null,
};

interface Page {
  entries: Entry[];
  cursor: string;
  more: boolean;
}

/** The timeline, live: new entries are added once per frame. */
export class TrafficStore extends Store<Traffic> {
  private coming: Entry[] = [];
  private frame = 0;
  private stopStream: (() => void) | undefined;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  private newest: string | undefined;

  constructor(
    private readonly teamId: string,
    private readonly filters: Filters,
  ) {
    super(NOTHING);
  }

  start(): () => void {
    void this.load();
    const onVisibility = (): void => {
      clearTimeout(this.hiddenTimer);
      if (document.visibilityState === 'hidden') this.hiddenTimer = setTimeout(() => this.closeStream(), HIDDEN_MS);
      else if (!this.stopStream && !this.get().isLoading) this.openStream();
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(this.hiddenTimer);
      cancelAnimationFrame(this.frame);
      this.closeStream();
    };
  }

  private async load(): Promise<void> {
    try {
      const page = await this.ask({});
      this.newest = page.entries[0]?.id;
      this.set({ ...NOTHING, entries: page.entries, hasOlder: page.more, isLoading: false });
      this.openStream();
    } catch (error) {
      this.set({ ...NOTHING, isLoading: false, error });
    }
  }

  async loadOlder(): Promise<void> {
    const { entries, hasOlder, isLoading } = this.get();
    const last = entries.at(-1)?.id;
    if (!hasOlder || isLoading || last === undefined) return;
    this.set({ ...this.get(), isLoading: true });
    try {
      const page = await this.ask({ before: last });
      const all = [...this.get().entries, ...page.entries];
      this.set({
        ...this.get(),
        entries: all.slice(0, MAX_KEPT),
        hasOlder: page.more && all.length < MAX_KEPT,
        isLoading: false,
      });
    } catch {
      this.set({ ...this.get(), isLoading: false, hasOlder: false });
    }
  }

  private ask(more: Record<string, string>): Promise<Page> {
    return rest<Page & Record<string, unknown>>(
      `GET /sandboxes/self/timeline?${toQuery(this.filters, { order: 'desc', limit: String(PAGE), view: 'summary', team_id: this.teamId, ...more })}`,
    );
  }

  private openStream(): void {
    const { since: _since, until: _until, ...live } = this.filters;
    this.stopStream = follow(
      (cursor) =>
        `/sandboxes/self/timeline/stream?${toQuery(live, { view: 'summary', team_id: this.teamId, after: cursor ?? this.newest ?? 'now' })}`,
      (event) => {
        if (event.event === 'cleared') return this.cleared();
        this.coming.push(JSON.parse(event.data) as Entry);
        if (this.frame === 0) this.frame = requestAnimationFrame(() => this.flush());
      },
      (isLive) => this.set({ ...this.get(), isLive }),
    );
  }

  private closeStream(): void {
    this.stopStream?.();
    this.stopStream = undefined;
  }

  private flush(): void {
    this.frame = 0;
    const come = this.coming.reverse();
    this.coming = [];
    this.newest = come[0]?.id ?? this.newest;
    const state = this.get();
    if (state.isHeld) this.set({ ...state, waiting: [...come, ...state.waiting].slice(0, MAX_KEPT) });
    else this.set({ ...state, entries: [...come, ...state.entries].slice(0, MAX_KEPT) });
  }

  /** Pauses the view; new entries are counted and kept. */
  hold(isHeld: boolean): void {
    const state = this.get();
    if (state.isHeld === isHeld) return;
    if (isHeld) this.set({ ...state, isHeld });
    else this.set({ ...state, isHeld, waiting: [], entries: [...state.waiting, ...state.entries].slice(0, MAX_KEPT) });
  }

  cleared(): void {
    this.coming = [];
    this.set({ ...this.get(), entries: [], waiting: [], hasOlder: false });
  }

  /** Clears the list. Returns a function that restores it. */
  hide(): () => void {
    const before = this.get();
    this.set({ ...before, entries: [], waiting: [], hasOlder: false });
    return () => {
      const now = this.get();
      this.set({
        ...now,
        entries: [...now.entries, ...before.waiting, ...before.entries].slice(0, MAX_KEPT),
        hasOlder: before.hasOlder,
      });
    };
  }
}
