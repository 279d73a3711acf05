import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';
import { parseSettings, SETTINGS_TOKEN } from '../../src/kernel/config/settings.js';
import { Db } from '../../src/kernel/database/db.js';
import { StoreMaintenance } from '../../src/kernel/database/maintenance.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { EventLog } from '../../src/kernel/events/event-log.js';
import { EventTail } from '../../src/kernel/events/event-tail.js';
import { Wakeups } from '../../src/kernel/events/wakeups.js';
import { Log } from '../../src/kernel/log/log.js';
import { Metrics } from '../../src/kernel/metrics/metrics.js';
import { DeliveryEngine } from '../../src/webhooks/delivery-engine.js';
import { DeliveryCount } from '../../src/webhooks/delivery-count.entity.js';
import { GuardedHttp } from '../../src/webhooks/guarded-http.js';
import { WebhooksModule } from '../../src/webhooks/webhooks.module.js';
import { useBareStore } from '../support/bare-store.js';
import { deleteRows, insertRows } from '../support/rows.js';

describe('WebhooksModule', () => {
  const store = useBareStore();

  it('starts with the application and stops with it', async () => {
    const { db, eventLog, clock } = store.process();
    const log = Log.create({ logLevel: 'silent', logFormat: 'json' });
    const [tell, said] = [vi.spyOn(DeliveryEngine.prototype, 'setFailureListener'), vi.spyOn(log, 'info')];
    const providers = [
      { provide: Db, useValue: db },
      { provide: EventLog, useValue: eventLog },
      { provide: Log, useValue: log },
      { provide: Clock, useValue: clock },
      { provide: StoreInfo, useValue: store.info },
      { provide: DataSource, useValue: store.dataSource },
      { provide: SETTINGS_TOKEN, useValue: parseSettings({}) },
      { provide: Metrics, useValue: new Metrics(parseSettings({}), store.dataSource, log) },
      Wakeups,
      EventTail,
      Upkeep,
    ];
    @Global()
    @Module({ providers, exports: providers })
    class Kernel {}
    const app = await Test.createTestingModule({ imports: [Kernel, WebhooksModule] }).compile();
    await app.init();
    // one line in the log for each failed attempt (docs/OPERATIONS.md#the-log)
    const failed = { target: 'Ow1', reason: 'http_timeout', attempt: 2 } as const;
    tell.mock.calls[0]?.[0](failed);
    expect(said.mock.calls).toEqual([['delivery failed', failed]]);
    tell.mockRestore();
    expect(app.get(Wakeups).connected).toBe(!store.info.embedded);
    // other specs of the worker may have left deliveries in the store
    const { first, retries, oldestSeconds } = await app.get(DeliveryEngine).depth();
    expect([first, retries]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(oldestSeconds ?? 0).toBeGreaterThanOrEqual(0);
    expect(
      await app.get(GuardedHttp).post({ url: 'http://169.254.1.1/', headers: {}, body: '', timeoutMs: 100 }),
    ).toMatchObject({
      reason: 'connection_failed',
    });
    await app.close();
    expect(app.get(Wakeups).connected).toBe(false);
  });

  it('vacuums and analyzes the tables that changed', async () => {
    const { db } = store.process();
    const counts = Array.from({ length: 5_000 }, (_, minute) => ({ targetId: 'maintenance', minute }));
    await insertRows(
      store,
      DeliveryCount,
      counts.map((row) => ({ ...row, attempts: 1, failures: 0 })),
    );
    await deleteRows(store, DeliveryCount, { targetId: 'maintenance' });
    // a session reports its statistics only when it is idle
    await store.dataSource.query('SELECT pg_stat_force_next_flush()');
    const tidied = await new StoreMaintenance(db, store.info, new Upkeep()).vacuum();
    expect(tidied).toContain('delivery_counts');
  });
});
