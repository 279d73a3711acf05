import { Global, Module } from '@nestjs/common';
import { Log } from '../kernel/log/log.js';
import { Metrics } from '../kernel/metrics/metrics.js';
import { DeliveryEngine } from './delivery-engine.js';
import { SentOnce } from './sent-once.js';
import { GuardedHttp } from './guarded-http.js';
import { Retention } from './retention.js';

/** The delivery engine. Needs Db, Clock, Wakeups and the settings from global modules. */
@Global()
@Module({
  providers: [GuardedHttp, DeliveryEngine, SentOnce, Retention],
  exports: [GuardedHttp, DeliveryEngine, SentOnce, Retention],
})
export class WebhooksModule {
  constructor(engine: DeliveryEngine, metrics: Metrics, log: Log) {
    engine.setFailureListener((failed) => log.info('delivery failed', failed));
    const attempts = metrics.counter('understudy_deliveries_total', 'Attempts to deliver, by product and outcome.', [
      'product',
      'outcome',
    ]);
    engine.onDelivery((product, outcome) => attempts({ product, outcome }));
    metrics.gauge(
      'understudy_delivery_queue',
      'Deliveries that wait for their first attempt.',
      async () => (await engine.depth()).first,
    );
    metrics.gauge(
      'understudy_delivery_retries',
      'Deliveries that wait for a retry.',
      async () => (await engine.depth()).retries,
    );
    metrics.gauge(
      'understudy_delivery_age_seconds',
      'How long the oldest first attempt has waited.',
      async () => (await engine.depth()).oldestSeconds ?? 0,
    );
  }
}
