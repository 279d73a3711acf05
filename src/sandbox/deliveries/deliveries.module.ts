import { Module } from '@nestjs/common';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { SandboxParts } from '../ports.js';
import { Db } from '../../kernel/database/db.js';
import { COUNT_RULES } from './deliveries.queries.js';
import { TimelineModule } from '../timeline/timeline.module.js';
import { SandboxDeliveriesController } from './deliveries.controller.js';
import { SandboxDeliveries } from './deliveries.service.js';
import { DeliveryHistory } from './delivery-history.js';
import { DeliveryRules } from './delivery-rules.js';

/** Deliveries to apps under a test's control (docs/reference/sandboxes.md#deliveries). */
@Module({
  imports: [TimelineModule],
  controllers: [SandboxDeliveriesController],
  providers: [SandboxDeliveries, DeliveryHistory, DeliveryRules],
})
export class SandboxDeliveriesModule {
  constructor(parts: SandboxParts, db: Db, dues: SandboxDues, { times }: DeliveryEngine) {
    parts.onClockMoved((tx, { tenantId }, move) => times.move(tx, tenantId, move));
    dues.registerLast({
      next: (tenantId, now) => times.next(tenantId, now),
      run: async (tenantId, end) => void (await times.settled(tenantId, end)),
    });
    parts.countWith(async (tenantIds) => {
      const rows = await db.read<{ id: number; n: number }>(COUNT_RULES, [tenantIds]);
      return new Map(rows.map(({ id, n }) => [id, { deliveryRules: n }]));
    });
  }
}
