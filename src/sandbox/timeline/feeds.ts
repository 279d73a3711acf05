import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Lifecycle } from '../../kernel/http/lifecycle.js';
import { EventTail } from '../../kernel/events/event-tail.js';
import { Recorder } from './recorder.js';
import { Replicas } from './replicas.js';
import { PageReader, type PlacedEntry } from './page-reader.js';
import { Timeline } from './timeline.service.js';
import { LAST_PLACES } from './timeline.queries.js';

/** Delay of the poll that backs up wake-ups, as those may get lost. */
const POLL_MS = 1_000;
const MAX_READ = 500;

/** A reader of a sandbox's timeline. */
export interface Watcher {
  /** New entries in order; must be quick and not throw. */
  entries(entries: readonly PlacedEntry[]): void;
  cleared?(): void;
}

interface Feed {
  readonly tenantId: number;
  readonly watchers: Set<Watcher>;
  position: number;
  reading: boolean;
  mustRepeat: boolean;
}

/**
 * Follows the timelines that are waited on or streamed: one read for all readers of the same one, when the event log or
 * this or another replica reports that it grew.
 */
@Injectable()
export class Feeds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Timeline');
  private readonly feeds = new Map<number, Feed>();
  private readonly stopListeners = new Set<() => void>();
  private poll: NodeJS.Timeout | undefined;
  stopping = false;

  constructor(
    private readonly db: Db,
    private readonly tail: EventTail,
    private readonly recorder: Recorder,
    replicas: Replicas,
    private readonly timeline: Timeline,
    private readonly pages: PageReader,
    lifecycle: Lifecycle,
  ) {
    // waiting clients are answered at once, not when the grace period for running calls is over
    lifecycle.onDrain(() => this.end());
    tail.onEvents((events) => {
      for (const tenantId of new Set(events.map((event) => event.tenantId))) {
        if (this.feeds.has(tenantId)) this.recorder.flush(tenantId).catch((error: Error) => this.trouble(error));
      }
    });
    tail.interested(() => this.feeds.size > 0);
    recorder.onGrown((tenants) => tenants.forEach((tenantId) => this.wake(tenantId)));
    recorder.writeAtOnceFor((tenantId) => this.feeds.has(tenantId));
    replicas.subscribe('grown', (tenants) => tenants.split(',').forEach((tenantId) => this.wake(Number(tenantId))));
    timeline.onCleared((tenantId) => {
      for (const watcher of this.feeds.get(tenantId)?.watchers ?? []) watcher.cleared?.();
    });
  }

  onApplicationBootstrap(): void {
    this.pollLater();
  }

  beforeApplicationShutdown(): void {
    this.end();
    clearTimeout(this.poll);
  }

  private end(): void {
    this.stopping = true;
    for (const listener of this.stopListeners) listener();
    this.stopListeners.clear();
  }

  /** Called when the server stops. Returns a function that removes the listener. */
  onStop(listener: () => void): () => void {
    if (this.stopping) {
      queueMicrotask(listener);
      return () => undefined;
    }
    this.stopListeners.add(listener);
    return () => void this.stopListeners.delete(listener);
  }

  /**
   * Passes on every entry after the position `from`, starting with existing ones. Resolves when those have been passed
   * on; the returned function ends it.
   */
  async follow(tenantId: number, from: number, watcher: Watcher): Promise<() => void> {
    await this.tail.attend();
    let feed = this.feeds.get(tenantId);
    if (!feed) {
      feed = { tenantId, watchers: new Set(), position: Infinity, reading: false, mustRepeat: false };
      this.feeds.set(tenantId, feed);
    }
    const joined = feed;
    let early: PlacedEntry[] | undefined = [];
    let seen = from;
    const relay: Watcher = {
      entries: (entries) => {
        if (early) return void early.push(...entries);
        const fresh = entries.filter(({ seq }) => seq > seen);
        if (fresh.length > 0) watcher.entries(fresh);
      },
      cleared: () => watcher.cleared?.(),
    };
    joined.watchers.add(relay);
    const leave = (): void => {
      joined.watchers.delete(relay);
      if (joined.watchers.size === 0 && this.feeds.get(tenantId) === joined) this.feeds.delete(tenantId);
    };
    try {
      await this.recorder.flush(tenantId);
      const { last } = await this.timeline.state(tenantId);
      if (joined.position === Infinity) joined.position = last;
      const known = await this.timeline.between(`${tenantId}:${from}:${last}`);
      seen = Math.max(seen, last);
      if (known.length > 0) watcher.entries(known);
      const missed = early.filter(({ seq }) => seq > seen);
      early = undefined;
      if (missed.length > 0) watcher.entries(missed);
      this.wake(tenantId);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  private wake(tenantId: number): void {
    const feed = this.feeds.get(tenantId);
    if (!feed || feed.position === Infinity) return;
    if (feed.reading) {
      feed.mustRepeat = true;
      return;
    }
    feed.reading = true;
    this.read(feed).catch((error: Error) => {
      feed.reading = false;
      this.trouble(error);
    });
  }

  private async read(feed: Feed): Promise<void> {
    do {
      feed.mustRepeat = false;
      const range = { after: feed.position, before: Number.MAX_SAFE_INTEGER };
      const { placed, last, rest } = await this.pages.read(feed.tenantId, range, MAX_READ);
      feed.position = last;
      if (rest) feed.mustRepeat = true;
      if (placed.length > 0) for (const watcher of feed.watchers) watcher.entries(placed);
    } while (feed.mustRepeat);
    feed.reading = false;
  }

  private pollLater(): void {
    this.poll = setTimeout(() => {
      void this.lookAll()
        .catch((error: Error) => this.trouble(error))
        .finally(() => {
          if (!this.stopping) this.pollLater();
        });
    }, POLL_MS).unref();
  }

  private async lookAll(): Promise<void> {
    if (this.feeds.size === 0) return;
    const rows = await this.db.read<{ tenant_id: number; last_seq: number }>(LAST_PLACES, [[...this.feeds.keys()]]);
    for (const { tenant_id: tenantId, last_seq: last } of rows) {
      if (last > (this.feeds.get(tenantId)?.position ?? Infinity)) this.wake(tenantId);
    }
  }

  private trouble(error: Error): void {
    this.log.warn(`timelines cannot be followed: ${error.message}`);
  }
}
