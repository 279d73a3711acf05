import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { Attempt, Dialect, Rendered } from '../../webhooks/dialect.js';
import { EventEnvelopes, type SendingTarget } from '../events/event-envelope.js';
import { TARGETS_TO_SEND } from '../events/event-envelope.queries.js';
import { EVENTS_DIALECT, OUTGOING_DIALECT } from '../events/event-targets.js';
import { APP_TIMEOUT_MS, signedHeaders } from '../rest/app-requests.js';

/** Older events are not sent: an app reads them from the history, and a burst after an outage would not help. */
const MAX_AGE_MS = 3_600_000;

/**
 * Chat events as apps receive them: envelope, headers and retries of docs/reference/events.md#envelope, #signing,
 * #delivery.
 */
@Injectable()
export class ChatDialect {
  constructor(
    engine: DeliveryEngine,
    private readonly envelopes: EventEnvelopes,
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    engine.register(this.dialect(EVENTS_DIALECT));
    engine.register(this.dialect(OUTGOING_DIALECT));
  }

  private dialect(product: string): Dialect<SendingTarget> {
    return {
      product,
      timeoutMs: APP_TIMEOUT_MS,
      retryDelaysSeconds: this.settings.eventRetryDelays,
      maxRedirects: 2,
      noRetryHeader: 'x-slack-no-retry',
      disable: { kind: 'share', attempts: 1000, failed: 0.95 },
      maxAgeMs: MAX_AGE_MS,
      // URL and secret of a chat target only change with a seed or a reset
      targetsFreshMs: 1_000,
      success: (status) => status >= 200 && status <= 299,
      loadTargets: async (ids) => {
        const rows = await this.db.read<SendingTarget & { [column: string]: unknown }>(TARGETS_TO_SEND, [[...ids]]);
        return new Map(rows.map((row) => [row.id, row]));
      },
      render: (attempt) => this.render(attempt),
    };
  }

  private render(attempt: Attempt<SendingTarget>): Rendered {
    const { target, retry, reason, ids } = attempt;
    const stored = this.envelopes.envelope(attempt);
    const body = ids?.outside(stored) ?? stored;
    return {
      url: target.url,
      headers: {
        ...signedHeaders('application/json', target.secret, body, Math.floor(attempt.nowMs / 1000)),
        ...(retry > 0 && { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': reason ?? 'unknown_error' }),
      },
      body,
      eventId: this.envelopes.eventId(attempt),
    };
  }
}
