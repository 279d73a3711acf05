import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { cleanText } from '../../kernel/text/clean.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import {
  COUNT_DELIVERIES,
  DELIVERIES_PAGE,
  MAKE_DUE,
  ONE_DELIVERY,
  TARGETS_OF,
  type ListedDelivery,
  type TargetOfDelivery,
} from './deliveries.queries.js';
import { Replicas } from '../timeline/replicas.js';
import { STATES } from './deliveries.schemas.js';
import type { FlushBody, ReleaseBody } from './deliveries.dto.js';
import { DeliveryHistory } from './delivery-history.js';
import { arranged } from './order.js';
import { redactText } from '../timeline/redaction.js';
import { aboutDelivery } from './about.js';
import { kindOf, urlOf } from './target-kinds.js';

/** The most ids that one replica sends another: they have to fit into one message. */
const MAX_NAMED_IDS = 500;

type QueryFields = Readonly<Record<string, unknown>>;

const refuse = (message: string): never => {
  throw new BadRequestException([message]);
};

/**
 * A filter given as a single value; null: none.
 * @throws BadRequestException
 */
function textOf(query: QueryFields, name: string): string | null {
  const value = query[name];
  if (value === undefined) return null;
  if (typeof value !== 'string') return refuse(`${name} must stand once`);
  return cleanText(value);
}

/** Deliveries to the apps of a sandbox, and their outcomes (docs/reference/sandboxes.md#deliveries). */
@Injectable()
export class SandboxDeliveries {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly engine: DeliveryEngine,
    private readonly history: DeliveryHistory,
    private readonly replicas: Replicas,
  ) {
    replicas.answer('beginning', () => Promise.resolve(this.engine.beginning.slice(0, MAX_NAMED_IDS).join(',')));
  }

  async list(tenantId: number, query: QueryFields): Promise<object> {
    const [others] = await Promise.all([this.replicas.ask('beginning', ''), this.history.written()]);
    const beginning = [
      ...this.engine.beginning,
      ...others.flatMap((ids) => ids.split(',').filter(Boolean).map(Number)),
    ];
    const { order = 'asc' } = query;
    const [target, event] = [textOf(query, 'target'), textOf(query, 'event')];
    const states = query['state'] === undefined ? null : String(query['state']).split(',');
    if (states?.some((state) => !(STATES as readonly string[]).includes(state))) {
      refuse(`state must be one of ${STATES.join(', ')}`);
    }
    if (order !== 'asc' && order !== 'desc') refuse('order must be asc or desc');
    const limit = query['limit'] === undefined ? 100 : Number(query['limit']);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) refuse('limit must be a whole number from 1 to 1000');
    const cursor = query['cursor'] === undefined || query['cursor'] === '' ? null : String(query['cursor']);
    if (cursor !== null && !/^[0-9]{1,15}$/.test(cursor)) refuse('cursor is none of ours');
    const [counts, rows] = await Promise.all([
      this.db.read<{ state: string; n: number }>(COUNT_DELIVERIES, [tenantId, target, event, beginning]),
      this.db.read<ListedDelivery>(DELIVERIES_PAGE[order === 'desc' ? 'desc' : 'asc'], [
        tenantId,
        target,
        event,
        beginning,
        states,
        cursor,
        limit + 1,
      ]),
    ]);
    const next = rows[limit];
    const targets = await this.targetsOf(tenantId, rows);
    return {
      counts: Object.fromEntries(STATES.map((state) => [state, counts.find((one) => one.state === state)?.n ?? 0])),
      deliveries: await Promise.all(rows.slice(0, limit).map((row) => this.shown(row, targets.get(row.target_id)))),
      next_cursor: next ? String(next.id) : '',
    };
  }

  /** @throws RestError 404 delivery_not_found, 409 not_redeliverable */
  async redeliver(tenantId: number, id: string): Promise<void> {
    await this.history.written();
    interface Found extends Record<string, unknown> {
      id: number | null;
      targetId: string;
      eventId: number | null;
      identity: string | null;
      queued: boolean;
      held: boolean;
    }
    const rows = /^[0-9]{1,15}$/.test(id) ? await this.db.read<Found>(ONE_DELIVERY, [tenantId, id]) : [];
    const [found] = rows;
    if (!found) throw new RestError(404, 'delivery_not_found');
    if (found.held) return void (await this.engine.held.release(tenantId, { ids: [Number(id)] }, (all) => all));
    if (found.queued || found.id === null) {
      await this.db.run(MAKE_DUE, [tenantId, this.clock.wallOffsetMicros, id]);
      return this.engine.wakeRetries();
    }
    const { targetId, eventId, identity } = found;
    // the caller of a command or an interaction no longer waits for its answer
    if (
      eventId === null ||
      !(await this.engine.held.redeliver(tenantId, { id: Number(id), targetId, eventId, identity }))
    ) {
      throw new RestError(409, 'not_redeliverable');
    }
  }

  async release(tenantId: number, body: ReleaseBody): Promise<object> {
    const { ids, target: targetId, order, random_seed: seed, count: most } = body;
    const wanted = { ids: ids?.map(Number), targetId, most };
    const arrange = <T>(rows: T[]): T[] => arranged(rows, order, seed);
    return { released: await this.engine.held.release(tenantId, wanted, arrange) };
  }

  /** Sends everything that waits; resolves when that is done, or when the time is over. */
  async flush(tenantId: number, { timeout_ms: timeoutMs }: FlushBody): Promise<object> {
    const end = performance.now() + timeoutMs;
    const due = await this.db.run<{ id: number }>(MAKE_DUE, [tenantId, this.clock.wallOffsetMicros, null]);
    this.engine.wake();
    return { flushed: due.length, done: await this.engine.times.settled(tenantId, end) };
  }

  private async targetsOf(tenantId: number, rows: readonly ListedDelivery[]): Promise<Map<string, TargetOfDelivery>> {
    const ids = [...new Set(rows.map((row) => row.target_id))];
    const found = ids.length === 0 ? [] : await this.db.read<TargetOfDelivery>(TARGETS_OF, [tenantId, ids]);
    return new Map(found.map((target) => [target.id, target]));
  }

  /** The delivery with what it is about: channel, person and text of the event or command. */
  private async shown(row: ListedDelivery, target: TargetOfDelivery | undefined): Promise<object> {
    return {
      id: String(row.id),
      event_id: row.public_event_id,
      event: row.kind,
      wall: row.recorded_at?.toISOString() ?? row.attempts[0]?.wall ?? null,
      ...aboutDelivery(row),
      target: {
        id: row.target_id,
        kind: kindOf(row.product),
        url: row.url !== null ? redactText(row.url) : urlOf(await this.engine.targetOf(row.product, row.target_id)),
        ...(target?.appId ? { app_id: target.appId } : {}),
        ...(target?.enabled === false ? { enabled: false } : {}),
      },
      state: row.state,
      attempts: row.attempts,
      next_retry_at: row.state === 'retrying' ? (row.next_at?.toISOString() ?? null) : null,
    };
  }
}
