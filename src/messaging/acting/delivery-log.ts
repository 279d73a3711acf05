import { Injectable } from '@nestjs/common';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { ObservedAttempt } from '../../webhooks/dialect.js';
import { AppSender, type AppDelivery } from '../rest/app-sender.js';

/** Deliveries of an app that are shown, and kept. */
export const SHOWN = 200;
const KEPT_MINUTES = 60;
const SWEPT_AT_ONCE = 5_000;

/** One attempt, as it is kept. */
interface Attempt {
  readonly workspaceId: string;
  readonly appId: string;
  readonly eventId: number | null;
  readonly targetId: string | null;
  readonly publicEventId: string | null;
  readonly kind: string;
  readonly transport: string;
  readonly outcome: 'acked' | 'failed';
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly ms: number;
  readonly attempt: number;
  /** performance.now() */
  readonly endedAt: number;
}

const INSERT = statement(
  'chat_insert_app_deliveries',
  `INSERT INTO app_deliveries (workspace_id, app_id, event_id, target_id, public_event_id, kind, transport, outcome, status_code, error, ms, attempt, at)
   SELECT r.workspace_id, r.app_id, r.event_id, r.target_id, r.public_event_id, r.kind, r.transport, r.outcome, r.status_code, r.error, r.ms, r.attempt,
          clock_timestamp() - r.ago_ms * interval '1 millisecond'
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::int[], $12::int[], $13::float8[])
     AS r (workspace_id, app_id, event_id, target_id, public_event_id, kind, transport, outcome, status_code, error, ms, attempt, ago_ms)`,
);

const SWEEP = statement(
  'chat_sweep_app_deliveries',
  `DELETE FROM app_deliveries WHERE id IN (
     SELECT id FROM app_deliveries WHERE at < now() - interval '${KEPT_MINUTES} minutes' LIMIT ${SWEPT_AT_ONCE}) RETURNING 1`,
);

const PAGE = statement(
  'chat_app_deliveries_page',
  `SELECT d.app_id, d.kind, d.transport, d.outcome, d.status_code, d.error, d.ms, d.public_event_id AS event_id, d.attempt,
          floor(extract(epoch FROM d.at))::float8 AS at, d.id
   FROM (SELECT * FROM app_deliveries WHERE workspace_id = $1 AND app_id = $2 AND at > now() - interval '${KEPT_MINUTES} minutes'
         ORDER BY id DESC LIMIT ${SHOWN}) d
   WHERE d.id <= $3 ORDER BY d.id DESC LIMIT $4`,
);

interface LoadedTarget {
  readonly workspaceId?: string;
  readonly apiAppId?: string | null;
}

const REASONS: Readonly<Record<string, string>> = {
  http_timeout: 'operation_timeout',
  http_error: 'http_client_error',
};

/** The errors of deliveries, by why an attempt failed. */
export const errorOf = (reason: string): string => REASONS[reason] ?? 'connection_failed';

/** Keeps how every attempt to reach an app went, whichever replica made it. */
@Injectable()
export class DeliveryLog {
  private readonly listeners = new Set<() => void>();
  private readonly write = coalesce<Attempt, void>(
    async (batch) => {
      await this.insert(batch);
      return batch.map(() => undefined);
    },
    { name: 'deliveries.log', max: 500 },
  );

  constructor(
    private readonly db: Db,
    engine: DeliveryEngine,
    sender: AppSender,
    upkeep: Upkeep,
  ) {
    engine.observe({ wants: () => true, attempted: (attempt) => this.ofEvent(attempt) });
    sender.onDelivery((delivery) => this.ofCall(delivery));
    upkeep.register('forgetting old deliveries to apps', 60_000, (stopped) => this.sweep(stopped));
  }

  /** Told when attempts of this process have been written. Must be quick and not throw. */
  onWritten(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Newest first; of what is left behind the page, `next` says where it goes on. */
  async page(
    of: { workspaceId: string; appId: string },
    page: { limit: number; from: number | null },
  ): Promise<{ rows: object[]; next: number | null }> {
    const from = page.from ?? Number.MAX_SAFE_INTEGER;
    const rows = await this.db.read<{ id: number; error: string | null; [column: string]: unknown }>(PAGE, [
      of.workspaceId,
      of.appId,
      from,
      page.limit + 1,
    ]);
    return {
      rows: rows.slice(0, page.limit).map(show),
      next: rows[page.limit]?.id ?? null,
    };
  }

  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP)).length === SWEPT_AT_ONCE);
  }

  private ofEvent(attempt: ObservedAttempt): void {
    if (attempt.eventId === null) return; // told by `ofCall`
    const { workspaceId, apiAppId } = (attempt.target.loaded ?? {}) as LoadedTarget;
    if (!workspaceId || !apiAppId) return; // the tracker's, or a webhook of no app
    const isDone = attempt.outcome.state === 'done';
    const reason = attempt.error ?? 'http_error';
    this.keep({
      workspaceId,
      appId: apiAppId,
      eventId: attempt.eventId,
      targetId: attempt.target.id,
      publicEventId: attempt.publicEventId ?? null,
      kind: attempt.kind,
      transport: transportOf(attempt.target.product),
      outcome: isDone ? 'acked' : 'failed',
      statusCode: attempt.response?.status ?? null,
      error: isDone ? null : errorOf(reason),
      ms: attempt.ms,
      attempt: attempt.attempt + 1,
      endedAt: performance.now(),
    });
  }

  private ofCall(delivery: AppDelivery): void {
    const { workspaceId, appId, kind, transport, outcome, statusCode, ms } = delivery;
    this.keep({
      workspaceId,
      appId,
      kind,
      transport,
      outcome,
      statusCode,
      ms,
      eventId: null,
      targetId: null,
      publicEventId: null,
      attempt: 1,
      endedAt: performance.now(),
      error: delivery.error ?? null,
    });
  }

  private keep(attempt: Attempt): void {
    this.write(attempt).then(
      () => {
        for (const listener of this.listeners) listener();
      },
      () => undefined, // it is a courtesy: the delivery itself is not affected
    );
  }

  private async insert(batch: readonly Attempt[]): Promise<void> {
    const now = performance.now();
    await this.db.run(INSERT, [
      batch.map((one) => one.workspaceId),
      batch.map((one) => one.appId),
      batch.map((one) => one.eventId),
      batch.map((one) => one.targetId),
      batch.map((one) => one.publicEventId),
      batch.map((one) => one.kind),
      batch.map((one) => one.transport),
      batch.map((one) => one.outcome),
      batch.map((one) => one.statusCode),
      batch.map((one) => one.error),
      batch.map((one) => one.ms),
      batch.map((one) => one.attempt),
      batch.map((one) => now - one.endedAt),
    ]);
  }
}

/** Without the row's own number, and without an error where there was none. */
function show(row: Readonly<Record<string, unknown>>): object {
  const { error, ...rest } = row;
  return Object.fromEntries(
    Object.entries(error === null ? rest : { ...rest, error }).filter(([column]) => column !== 'id'),
  );
}

/** By the dialect of a target. */
export const transportOf = (product: string): string => (product.includes('socket') ? 'socket' : 'http');
