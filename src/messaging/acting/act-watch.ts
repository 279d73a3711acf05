import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Wakeups } from '../../kernel/events/wakeups.js';
import { currentCause } from '../../kernel/http/call-context.js';
import type { ProductActed } from '../../kernel/sandbox/product-acts.js';
import type { Identity } from '../access/identity.js';
import { UsersAccess } from '../access/users-access.js';
import { formatTs, parseTs } from '../store/message-ts.js';
import { OPEN_STREAM_MESSAGES } from '../messages/stream-news.queries.js';
import { Views } from '../surfaces/views.js';
import { toWireView } from '../wire/view-wire.js';
import {
  ACTED_AT,
  DELIVERIES_OF_ACT,
  EVENTS_AFTER,
  LOG_END,
  type DeliveryOfAct,
  type EventAfter,
} from './act-watch.queries.js';
import { DeliveryLog, transportOf } from './delivery-log.js';
import { RepliesReader, type Replies } from './replies.js';

/** Minimum and maximum time between two reads, in milliseconds; wake-ups come in between. */
const MIN_POLL_MS = 20;
const MAX_POLL_MS = 150;

/** The start of an act: earlier events are not part of it. */
export interface ActStart {
  readonly person: Identity;
  readonly after: number;
  readonly since: Date;
  /** The request id in its events. */
  readonly cause: string;
}

/** One event or call to one app, as answers show it. */
export interface ReportedDelivery {
  /** Null for a webhook of the tracker that no application has. */
  readonly app_id: string | null;
  readonly kind: string;
  readonly transport: string;
  readonly outcome: string;
  readonly status_code: number | null;
  readonly ms: number | null;
  readonly error?: string;
  /** Where a webhook of the tracker goes. */
  readonly target?: string;
}

/** Where apps may respond to an act: the conversation it happened in, and what they do in response in another product. */
export interface RepliesIn {
  readonly channel?: string | null;
  readonly replies?: ProductActed['replies'];
}

/** What has been observed of an act so far. */
export interface ActProgress {
  readonly deliveries: readonly ReportedDelivery[];
  readonly replies: Replies;
}

/** Observes the effects of an act: deliveries of its events, and what apps do in response. */
@Injectable()
export class ActWatch {
  constructor(
    private readonly db: Db,
    private readonly wakeups: Wakeups,
    private readonly log: DeliveryLog,
    private readonly users: UsersAccess,
    private readonly views: Views,
  ) {}

  async begin(person: Identity): Promise<ActStart> {
    const [end] = await this.db.read<{ after: number; since: Date }>(LOG_END);
    if (!end) throw new Error('the event log has no end');
    return { person, ...end, cause: currentCause() ?? '' };
  }

  /** Reads until `done` returns true or the time is up; returns what was read last, and whether it was done. */
  async until(
    start: ActStart,
    place: RepliesIn,
    end: number,
    done: (seen: ActProgress) => boolean | Promise<boolean>,
  ): Promise<{ seen: ActProgress; met: boolean }> {
    const known = new Map<string, DeliveryOfAct>();
    const signal = new Signal();
    const stop = [this.wakeups.onWake(() => signal.raise()), this.log.onWritten(() => signal.raise())];
    try {
      for (;;) {
        const seen = await this.look(start, place, known);
        if (await done(seen)) return { seen, met: true };
        const left = end - performance.now();
        if (left <= 0) return { seen, met: false };
        await signal.wait(MIN_POLL_MS, Math.min(left, MAX_POLL_MS));
      }
    } finally {
      for (const off of stop) off();
    }
  }

  /** @param known results of earlier reads: a delivery that is being moved between two tables is not lost */
  async look(start: ActStart, place: RepliesIn, known: Map<string, DeliveryOfAct>): Promise<ActProgress> {
    const { person, after, cause } = start;
    const { channel = null } = place;
    const [rows, events, views, [acted]] = await Promise.all([
      this.db.read<DeliveryOfAct>(DELIVERIES_OF_ACT, [person.tenantId, after, cause]),
      this.db.read<EventAfter>(EVENTS_AFTER, [person.tenantId, after, channel, person.userId, person.workspaceId]),
      this.views.changedSince(person.workspaceId, person.userId, start.since),
      this.db.read<{ at: number | null }>(ACTED_AT, [person.tenantId, after, cause]),
    ]);
    for (const row of rows) known.set(row.key, row);
    const from = acted?.at ?? start.since.getTime();
    const reader = new RepliesReader(channel, from);
    for (const event of events) reader.read(event);
    const [bots, written, ofProduct] = await Promise.all([
      this.botsAmong(person, reader.reactors()),
      this.written(reader.streaming()),
      place.replies?.({ after, from }),
    ]);
    return {
      deliveries: [...known.values()].map(reportOf),
      replies: {
        ...reader.replies(bots, written),
        comments: ofProduct?.comments ?? [],
        activities: ofProduct?.activities ?? [],
        views: views.map((view) => ({ ...toWireView(view), ms: Math.max(0, Math.round(view.changedMs - from)) })),
      },
    };
  }

  /** Streamed messages as they stand, by channel and ts: what they are made of is not in the log while they are open. */
  private async written(streams: readonly { channel: string; ts: string }[]): Promise<ReadonlyMap<string, object>> {
    if (streams.length === 0) return new Map();
    const rows = await this.db.read<{ channel: string; ts: number; wire: string }>(OPEN_STREAM_MESSAGES, [
      streams.map(({ channel }) => channel),
      streams.map(({ ts }) => parseTs(ts)),
    ]);
    return new Map(rows.map(({ channel, ts, wire }) => [`${channel} ${formatTs(ts)}`, JSON.parse(wire) as object]));
  }

  private async botsAmong(person: Identity, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const facts = await this.users.facts(person, ids);
    return new Set([...facts.values()].filter((user) => user.isBot).map((user) => user.id));
  }
}

const reportOf = (row: DeliveryOfAct): ReportedDelivery => ({
  app_id: row.app_id,
  kind: row.tail === null ? row.kind : (/"type":"([A-Za-z]+)","organizationId"/.exec(row.tail)?.[1] ?? row.kind),
  transport: row.transport ?? transportOf(row.product ?? ''),
  outcome: row.outcome ?? 'pending',
  status_code: row.status_code,
  ms: row.ms,
  ...(row.error !== null && { error: row.error }),
  ...(row.url !== null && { target: row.url }),
});

/** Lets a caller wait for a signal, within a minimum and a maximum time. */
class Signal {
  private isRaised = false;
  private onRaise: (() => void) | undefined;

  raise(): void {
    this.isRaised = true;
    this.onRaise?.();
  }

  async wait(leastMs: number, mostMs: number): Promise<void> {
    await new Promise((passed) => setTimeout(passed, Math.min(leastMs, mostMs)));
    if (!this.isRaised && mostMs > leastMs) {
      await new Promise<void>((passed) => {
        const timer = setTimeout(passed, mostMs - leastMs);
        this.onRaise = () => {
          clearTimeout(timer);
          passed();
        };
      });
    }
    this.isRaised = false;
    this.onRaise = undefined;
  }
}
