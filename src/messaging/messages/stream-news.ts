import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { Wakeups } from '../../kernel/events/wakeups.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { OPEN_STREAM_PLACES } from './stream-news.queries.js';

/** Minimum time between two pieces of news of one stream, in milliseconds. */
const NEWS_EVERY_MS = 100;
/** How often open streams are looked at while nothing is heard from other replicas. */
const LOOK_EVERY_MS = 1_000;
const TOPIC = '~streams:';
/** How long news for other replicas gathers, in milliseconds: each message to them is a statement of its own. */
const SEND_AFTER_MS = 20;
/** What fits into one message. */
const MOST_SENT = 50;

/** A stream that grew. */
export interface GrownStream {
  readonly tenantId: number;
  readonly conversation: { readonly id: string; readonly type: ConversationType };
  /** Microseconds. */
  readonly ts: number;
}

interface Pause {
  timer: NodeJS.Timeout;
  /** News that came meanwhile; `own`: from an append in this process. */
  next: { readonly stream: GrownStream; own: boolean } | null;
}

/**
 * Tells every process that a stream grew, at most ten times a second for each: the first at once, the last always. It is
 * not an event of the log: who listens reads the message as it stands.
 */
@Injectable()
export class StreamNews implements OnApplicationShutdown {
  private readonly listeners = new Set<(stream: GrownStream) => void>();
  private readonly pauses = new Map<string, Pause>();
  private readonly unsubscribe: () => void;
  private wasAway = false;
  private unsent: GrownStream[] = [];
  private sending: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    private readonly wakeups: Wakeups,
    private readonly store: StoreInfo,
    upkeep: Upkeep,
  ) {
    this.unsubscribe = wakeups.onMessage((message) => {
      if (!message.startsWith(TOPIC)) return;
      for (const stream of JSON.parse(message.slice(TOPIC.length)) as GrownStream[]) this.note(stream, false);
    });
    if (!store.embedded) upkeep.register('looking at open streams', LOOK_EVERY_MS, () => this.lookWhileAway());
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
    for (const { timer } of this.pauses.values()) clearTimeout(timer);
    this.pauses.clear();
    clearTimeout(this.sending);
  }

  /** Called in every process; must be quick and not throw. */
  onGrown(listener: (stream: GrownStream) => void): void {
    this.listeners.add(listener);
  }

  /** After the commit of an append. */
  grew({ tenantId, conversation: { id, type }, ts }: GrownStream): void {
    this.note({ tenantId, conversation: { id, type }, ts }, true);
  }

  private note(stream: GrownStream, own: boolean): void {
    const key = `${stream.conversation.id} ${stream.ts}`;
    const pause = this.pauses.get(key);
    if (pause) pause.next = { stream, own: own || (pause.next?.own ?? false) };
    else this.tell(key, stream, own);
  }

  private tell(key: string, stream: GrownStream, own: boolean): void {
    const timer = setTimeout(() => {
      const next = this.pauses.get(key)?.next;
      this.pauses.delete(key);
      if (next) this.tell(key, next.stream, next.own);
    }, NEWS_EVERY_MS).unref();
    this.pauses.set(key, { timer, next: null });
    if (own && !this.store.embedded) this.sendSoon(stream);
    for (const listener of this.listeners) listener(stream);
  }

  private sendSoon(stream: GrownStream): void {
    this.unsent.push(stream);
    this.sending ??= setTimeout(() => {
      const all = this.unsent;
      this.unsent = [];
      this.sending = undefined;
      for (let i = 0; i < all.length; i += MOST_SENT) {
        void this.wakeups.send(TOPIC + JSON.stringify(all.slice(i, i + MOST_SENT)));
      }
    }, SEND_AFTER_MS).unref();
  }

  /** What other replicas said while the connection to them was away is lost. */
  private async lookWhileAway(): Promise<void> {
    const isAway = !this.wakeups.connected;
    if ((isAway || this.wasAway) && this.listeners.size > 0) {
      const open = await this.db.read<
        Record<string, unknown> & { tenantId: number; id: string; type: ConversationType; ts: number }
      >(OPEN_STREAM_PLACES);
      for (const { tenantId, id, type, ts } of open) this.note({ tenantId, conversation: { id, type }, ts }, false);
    }
    this.wasAway = isAway;
  }
}
