import type { DeliveryRow } from './deliveries.queries.js';
import type { Dialect, ObservedAttempt, Rendered } from './dialect.js';
import type { PostAnswer } from './guarded-http.js';
import type { Outcome } from './result-buffer.js';

/** An attempt as observers see it. */
export function observedAttempt(
  dialect: Dialect,
  row: DeliveryRow,
  target: unknown,
  made: { rendered: Rendered | undefined; answer: PostAnswer; seconds: number; outcome: Outcome },
): ObservedAttempt {
  const { rendered, answer, seconds, outcome } = made;
  return {
    tenantId: row.tenant_id,
    deliveryId: row.id,
    target: { id: row.target_id, product: dialect.product, loaded: target },
    eventId: row.event_id,
    publicEventId: rendered?.eventId,
    kind: row.kind,
    cause: row.cause,
    attempt: row.attempt,
    identity: row.identity,
    shift: row.shift,
    request: rendered && { url: rendered.url, headers: rendered.headers, body: rendered.body },
    ...(answer.answered
      ? { response: { status: answer.status, headers: answer.headers, body: answer.body } }
      : { error: answer.reason }),
    ms: Math.round(seconds * 1000),
    outcome: outcome.again
      ? { state: 'retrying', delayMs: outcome.again.delayMs }
      : { state: answer.answered && dialect.success(answer.status) ? 'done' : 'failed' },
  };
}
