import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import type { Clock } from '../../src/kernel/clock/clock.js';
import type { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { queuedFor, type EventLog } from '../../src/kernel/events/event-log.js';
import type { Wakeups } from '../../src/kernel/events/wakeups.js';
import { DeliveryEngine } from '../../src/webhooks/delivery-engine.js';
import { Delivery } from '../../src/webhooks/delivery.entity.js';
import { DeliveryTarget } from '../../src/webhooks/delivery-target.entity.js';
import type { DeliveryOptions, Dialect } from '../../src/webhooks/dialect.js';
import { GuardedHttp } from '../../src/webhooks/guarded-http.js';
import { svcSignature } from '../../src/webhooks/signing.js';
import { useBareStore, type BareStore } from './bare-store.js';
import { insertRows } from './rows.js';

/** Like the statement of a product's `EventProduct.plan`: one row per event and target. */
const PLAN = statement(
  'spec_plan',
  `INSERT INTO deliveries (target_id, event_id, identity)
   SELECT t.id, e.id, 'U' || e.id
     FROM unnest($1::bigint[], $2::bigint[]) AS e (id, tenant_id)
     JOIN delivery_targets t ON t.tenant_id = e.tenant_id AND t.enabled AND t.product = $3
    ORDER BY e.id
   RETURNING target_id`,
);

/** A product with one kind of event, whose subscriptions are in memory. */
export class FakeProduct {
  readonly name = `fake.${randomUUID()}`;
  readonly urls = new Map<string, string>();
  readonly disabled: string[] = [];
  readonly processes: FakeProcess[] = [];

  constructor(
    readonly store: BareStore,
    readonly dialect: Partial<Dialect<string>> = {},
    /** Whether it names the targets for which it queues deliveries. */
    readonly namesTargets = false,
  ) {}

  /** A process with this product and a started engine. @param url of the store, where it has connections of its own */
  async process(options: Partial<DeliveryOptions> = {}, url?: string): Promise<FakeProcess> {
    const http = new GuardedHttp({ allowLinkLocal: false });
    const kernel = url === undefined ? this.store.process() : await this.store.processThrough(url);
    await kernel.wakeups.start();
    const engine = new DeliveryEngine(kernel.db, kernel.clock, kernel.wakeups, http, options);
    engine.register<string>({
      product: this.name,
      timeoutMs: 500,
      retryDelaysSeconds: [0, 0.2, 0.2],
      maxRedirects: 2,
      noRetryHeader: 'x-slack-no-retry',
      disable: { kind: 'share', attempts: 1000, failed: 0.95 },
      maxAgeMs: 3_600_000,
      targetsFreshMs: 1_000,
      success: (status) => status >= 200 && status < 300,
      loadTargets: async (ids) => new Map([...this.urls].filter(([id]) => ids.includes(id))),
      render: ({ deliveryId, identity, retry, reason, target, event, nowMs }) => {
        const data: unknown = JSON.parse(event.data);
        const body = JSON.stringify({ delivery: deliveryId, identity, event: event.id, data, nowMs });
        return {
          url: target,
          headers: {
            'content-type': 'application/json',
            'svc-signature': svcSignature('secret', body),
            ...(retry > 0 && { 'x-retry-num': String(retry), 'x-retry-reason': reason ?? '' }),
          },
          body,
        };
      },
      onDisabled: async (_, ids) => void this.disabled.push(...ids),
      ...this.dialect,
    });
    kernel.eventLog.register({
      product: 'chat',
      plan: async (tx, events) => {
        const ids = events.map(({ recorded }) => recorded.id);
        const tenants = events.map(({ event }) => event.tenantId);
        const rows = await tx.query<{ target_id: string }>(PLAN, [ids, tenants, this.name]);
        return this.namesTargets ? queuedFor(rows.map((row) => row.target_id)) : true;
      },
    });
    engine.start();
    const one = new FakeProcess(this, kernel, engine, http);
    this.processes.push(one);
    return one;
  }

  async target(tenantId: number, url: string): Promise<string> {
    return (await this.targets(tenantId, url, 1))[0] as string;
  }

  /** Creates this number of targets with one URL. */
  async targets(tenantId: number, url: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => `Ow${randomUUID()}`);
    for (const id of ids) this.urls.set(id, url);
    const rows = ids.map((id) => ({ id, product: this.name, tenantId }));
    await insertRows(this.store, DeliveryTarget, rows);
    return ids;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
  }
}

export class FakeProcess {
  constructor(
    readonly product: FakeProduct,
    readonly kernel: { db: Db; eventLog: EventLog; clock: Clock; wakeups: Wakeups },
    readonly engine: DeliveryEngine,
    readonly http: GuardedHttp,
  ) {}

  /** Commits events with these numbers as data, each in its own transaction. */
  async post(tenantId: number, ...numbers: number[]): Promise<void> {
    for (const n of numbers) {
      await this.kernel.db.write(async (tx) => {
        tx.record({ tenantId, product: 'chat', kind: 'message', room: `conversation:${tenantId}`, data: String(n) });
      });
    }
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.kernel.wakeups.stop();
    await this.http.close();
  }
}

/** The numbers given to `post`, in the order of their arrival. */
export const numbers = (received: readonly { body: string }[]): number[] =>
  received.map(({ body }) => (JSON.parse(body) as { data: number }).data);

/** Products of one spec on a store of its own, stopped after each test, and helpers that read the store. */
export function useFakeProducts() {
  const store = useBareStore();
  const products: FakeProduct[] = [];
  afterEach(async () => {
    await Promise.all(products.splice(0).map((one) => one.stop()));
  });
  return {
    store,
    product(dialect?: ConstructorParameters<typeof FakeProduct>[1], namesTargets = false): FakeProduct {
      const one = new FakeProduct(store, dialect, namesTargets);
      products.push(one);
      return one;
    },
    queued: (targetId: string): Promise<Pick<Delivery, 'attempt' | 'reason'>[]> =>
      store.dataSource.manager.find(Delivery, {
        select: { attempt: true, reason: true },
        where: { targetId },
        order: { id: 'ASC' },
      }),
    row: (id: string): Promise<DeliveryTarget> => store.dataSource.manager.findOneByOrFail(DeliveryTarget, { id }),
  };
}
