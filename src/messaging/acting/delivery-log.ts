import { Injectable } from '@nestjs/common';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { ObservedAttempt } from '../../webhooks/dialect.js';
import { AppSender, type AppDelivery } from '../rest/app-sender.js';
import {
  INSERT_APP_DELIVERY,
  SWEEP_APP_DELIVERIES,
  PAGE_OF_APP_DELIVERIES,
  SWEEP_BATCH,
} from './delivery-log.queries.js';

/** One attempt, as it is kept. */
interface Attempt {
  /** Null for webhooks of the tracker. */
  readonly workspaceId: string | null;
  readonly appId: string | null;
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

interface LoadedTarget {
  readonly workspaceId?: string;
  readonly apiAppId?: string | null;
}

const REASONS: Readonly<Record<string, string>> = {
  http_timeout: 'operation_timeout',
  http_error: 'http_client_error',
};

/** The errors of deliveries, by the reason of the failure. */
export const errorOf = (reason: string): string => REASONS[reason] ?? 'connection_failed';

/** Keeps the outcome of every attempt to reach an app, whichever replica made it. */
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
    engine.observe({ observes: () => true, attempted: (attempt) => this.ofEvent(attempt) });
    sender.onDelivery((delivery) => this.ofCall(delivery));
    upkeep.register('forgetting old deliveries to apps', 60_000, (stopped) => this.sweep(stopped));
  }

  /** Called when attempts of this process have been written. Must be quick and not throw. */
  onWritten(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Newest first; `next` is the cursor of the next page. */
  async page(
    of: { workspaceId: string; appId: string },
    page: { limit: number; from: number | null },
  ): Promise<{ rows: object[]; next: number | null }> {
    const from = page.from ?? Number.MAX_SAFE_INTEGER;
    const rows = await this.db.read<{ id: number; error: string | null; [column: string]: unknown }>(
      PAGE_OF_APP_DELIVERIES,
      [of.workspaceId, of.appId, from, page.limit + 1],
    );
    return {
      rows: rows.slice(0, page.limit).map(show),
      next: rows[page.limit]?.id ?? null,
    };
  }

  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP_APP_DELIVERIES)).length === SWEEP_BATCH);
  }

  private ofEvent(attempt: ObservedAttempt): void {
    if (attempt.eventId === null) return; // `ofCall` records these
    const { workspaceId, apiAppId } = (attempt.target.loaded ?? {}) as LoadedTarget;
    const isOfTracker = attempt.target.product === 'tracker';
    if (!isOfTracker && (!workspaceId || !apiAppId)) return; // a webhook of no app
    const isDone = attempt.outcome.state === 'done';
    const reason = attempt.error ?? 'http_error';
    this.keep({
      workspaceId: workspaceId ?? null,
      appId: apiAppId ?? null,
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
      () => undefined, // failures are ignored: the delivery itself is not affected
    );
  }

  private async insert(batch: readonly Attempt[]): Promise<void> {
    const now = performance.now();
    await this.db.run(INSERT_APP_DELIVERY, [
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

/** Without the row's own number, and without `error` if there was none. */
function show(row: Readonly<Record<string, unknown>>): object {
  const { error, ...rest } = row;
  return Object.fromEntries(
    Object.entries(error === null ? rest : { ...rest, error }).filter(([column]) => column !== 'id'),
  );
}

/** By the dialect of a target. */
export const transportOf = (product: string): string => (product.includes('socket') ? 'socket' : 'http');
