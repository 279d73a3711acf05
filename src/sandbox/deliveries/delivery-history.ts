import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { cleanJson } from '../../kernel/text/clean.js';
import { DeliveryJournal, type ShapedAttempt } from '../timeline/delivery-journal.js';
import { Replicas } from '../timeline/replicas.js';
import { FORGET_HISTORY, RECORD_ATTEMPTS, RECORD_COPIES, TRIM_HISTORY } from './deliveries.queries.js';
import { lru } from '../../kernel/lru.js';

/** The most attempts that wait in this process to be written; further ones are left out. */
const MAX_WAITING = 10_000;
/** The number of attempts after which a sandbox's history is trimmed. */
const TRIM_EVERY = 500;

/** Attempts of one delivery, as they are written together. */
interface AttemptsOfDelivery {
  readonly of: ShapedAttempt;
  readonly attempts: string[];
}

/**
 * Keeps the outcome of each delivery for an hour, within limits; written a little later, so that deliveries are not
 * delayed.
 */
@Injectable()
export class DeliveryHistory {
  private waiting = 0;
  private readonly grown = lru<number, number>(50_000);

  constructor(
    journal: DeliveryJournal,
    private readonly replicas: Replicas,
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    journal.onAttempt((shaped) => this.attempted(shaped));
    replicas.answer('history', async () => {
      await this.write(null);
      return '';
    });
    upkeep.register('forgetting deliveries', 60_000, () => this.db.run(FORGET_HISTORY));
  }

  /** Resolves when everything up to now is written, on all replicas. */
  async written(): Promise<void> {
    await Promise.all([this.replicas.ask('history', ''), this.write(null)]);
  }

  private attempted(shaped: ShapedAttempt): void {
    if (this.waiting >= MAX_WAITING) return;
    this.waiting++;
    this.write(shaped)
      .catch(() => undefined)
      .finally(() => this.waiting--);
  }

  /** One statement after the other; null adds nothing but waits for the earlier ones. */
  private readonly write = coalesce(
    async (batch: (ShapedAttempt | null)[]) => {
      const attempts = batch.filter((shaped) => shaped !== null);
      if (attempts.length > 0) await this.writeAll(attempts);
      return batch.map(() => undefined);
    },
    { name: 'deliveries.history', inFlight: 1, max: 500 },
  );

  private async writeAll(batch: readonly ShapedAttempt[]): Promise<void> {
    await this.writeAttempts(batch.filter(({ attempt }) => attempt.isCopy !== true));
    await this.writeCopies(batch.filter(({ attempt }) => attempt.isCopy === true));
  }

  private async writeCopies(batch: readonly ShapedAttempt[]): Promise<void> {
    if (batch.length === 0) return;
    const attempts = new Map<number, string[]>();
    for (const shaped of batch) {
      const { deliveryId } = shaped.attempt;
      attempts.set(deliveryId, [...(attempts.get(deliveryId) ?? []), attemptOf(shaped)]);
    }
    const rows = [...attempts].map(([id, all]) => ({ id, attempts: `[${all.join(',')}]` }));
    await this.db.run(RECORD_COPIES, [JSON.stringify(rows)]);
  }

  private async writeAttempts(batch: readonly ShapedAttempt[]): Promise<void> {
    if (batch.length === 0) return;
    const byDelivery = new Map<number, AttemptsOfDelivery>();
    for (const shaped of batch) {
      const { deliveryId } = shaped.attempt;
      const attempts = [...(byDelivery.get(deliveryId)?.attempts ?? []), attemptOf(shaped)];
      byDelivery.set(deliveryId, { of: shaped, attempts });
    }
    const rows = [...byDelivery.values()].map(({ of: { attempt, head }, attempts }) => ({
      id: attempt.deliveryId,
      tenant_id: attempt.tenantId,
      target_id: attempt.target.id,
      product: attempt.target.product,
      url: (head['target'] as { url: string | null }).url,
      event_id: attempt.eventId,
      identity: attempt.identity,
      public_event_id: attempt.publicEventId ?? null,
      kind: attempt.kind,
      state: attempt.outcome.state,
      attempts: `[${attempts.join(',')}]`,
      next_retry_at: head['next_retry_at'],
    }));
    await this.db.run(RECORD_ATTEMPTS, [JSON.stringify(rows)]);
    for (const { tenant_id: tenantId } of rows) await this.trimWhenGrown(tenantId);
  }

  private async trimWhenGrown(tenantId: number): Promise<void> {
    const grown = (this.grown.get(tenantId) ?? 0) + 1;
    this.grown.set(tenantId, grown % TRIM_EVERY);
    if (grown < TRIM_EVERY) return;
    const { timelineMaxEntries, timelineMaxBytes } = this.settings;
    await this.db.run(TRIM_HISTORY, [tenantId, timelineMaxEntries, timelineMaxBytes]);
  }
}

/** In the format of the timeline's entry, as JSON. */
function attemptOf({ at, wall, head, body }: ShapedAttempt): string {
  const short = JSON.stringify({ at: at.toISOString(), wall: wall.toISOString(), ...head });
  const long = Object.entries(body).flatMap(([key, json]) => (json === undefined ? [] : [`,"${key}":${json}`]));
  return storable(`${short.slice(0, -1)}${long.join('')}}`);
}

/** JSON that the store accepts: without NUL and lone surrogates. */
const storable = (json: string): string =>
  /\\u(?:0000|d[89a-f])/i.test(json) ? JSON.stringify(cleanJson(JSON.parse(json)) ?? {}) : json;
