import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { Attempt, Rendered, SentAttempt } from '../../webhooks/dialect.js';
import type { PostAnswer } from '../../webhooks/guarded-http.js';
import { EventEnvelopes, type SendingTarget } from '../events/event-envelope.js';
import { TARGETS_TO_SEND } from '../events/event-envelope.queries.js';
import { SOCKETS_DIALECT } from '../events/event-targets.js';
import { Acks } from './acks.js';
import type { Connection } from './connection.js';
import { Connections } from './connections.js';
import { EnvelopeIds } from './envelope-ids.js';
import { SocketMetrics } from './socket-metrics.js';
import { lru } from '../../kernel/lru.js';

/** How long an app has to acknowledge. */
export const ACK_MS = 3_000;
/** Events do not wait longer than this for a connection, as they are held for a shorter time. */
const MAX_AGE_MS = 86_400_000;
const EVENTS = 'events_api';
/** The number of unacked events whose last connection is remembered. */
const MAX_REMEMBERED = 10_000;

/** Events over Socket Mode: lanes of the delivery engine, whose targets are connections instead of URLs. */
@Injectable()
export class SocketDialect {
  /** The connection that did not ack, by delivery: the retry goes to another one if there is one. */
  private readonly silent = lru<number, Connection>(MAX_REMEMBERED);

  constructor(
    private readonly db: Db,
    private readonly connections: Connections,
    private readonly acks: Acks,
    private readonly ids: EnvelopeIds,
    private readonly envelopes: EventEnvelopes,
    private readonly metrics: SocketMetrics,
    engine: DeliveryEngine,
    @Inject(SETTINGS_TOKEN) settings: Settings,
  ) {
    metrics.connections(() => connections.count);
    engine.onDelivery((product, outcome) => {
      const isLost = outcome === 'given_up' || outcome === 'dropped';
      if (product === SOCKETS_DIALECT && isLost) metrics.count(EVENTS, 'dropped');
    });
    engine.register<SendingTarget>({
      product: SOCKETS_DIALECT,
      timeoutMs: ACK_MS,
      retryDelaysSeconds: settings.eventRetryDelays,
      maxRedirects: 0,
      disable: { kind: 'never' },
      maxAgeMs: MAX_AGE_MS,
      targetsFreshMs: 1_000,
      // the next is sent without waiting for the ack of the one before
      order: { waitMs: 0, underWay: 1_000 },
      // nor does a retry wait for the ack of another
      retriesUnderWay: 1_000,
      success: (status) => status === 200,
      reachable: () => connections.targets,
      room: async (targetId) => {
        const appId = connections.appOf(targetId);
        return appId !== undefined && connections.room(appId);
      },
      loadTargets: async (ids) => {
        const rows = await this.db.read<SendingTarget & { [column: string]: unknown }>(TARGETS_TO_SEND, [[...ids]]);
        return new Map(rows.map((row) => [row.id, row]));
      },
      render: (attempt) => this.render(attempt),
      send: (rendered, attempt) => this.send(rendered, attempt),
    });
    connections.onChange((targetId, isOpen) => {
      if (!isOpen) return engine.release([targetId]);
      engine.wake();
      engine.wakeRetries();
    });
  }

  private render(attempt: Attempt<SendingTarget>): Rendered {
    const stored = this.envelopes.envelope(attempt);
    return {
      url: '',
      headers: {},
      body: attempt.ids?.outside(stored) ?? stored,
      eventId: this.envelopes.eventId(attempt),
    };
  }

  private async send(
    rendered: Rendered,
    { deliveryId, retry, target }: SentAttempt<SendingTarget>,
  ): Promise<PostAnswer | null> {
    const appId = target.apiAppId ?? '';
    const envelopeId = this.ids.of(deliveryId, retry);
    const connection = this.connections.pick(appId, this.silent.get(deliveryId));
    this.silent.delete(deliveryId);
    // it closed or filled up just now: the event continues to wait
    if (!connection) return null;
    if (retry > 0) this.metrics.count(EVENTS, 'retried');
    const sentAt = performance.now();
    const { acked } = this.acks.wait(Acks.ofDelivery(deliveryId), appId, ACK_MS);
    connection.send(
      envelopeId,
      `{"envelope_id":"${envelopeId}","type":"${EVENTS}","accepts_response_payload":false,"retry_attempt":${retry},` +
        `"retry_reason":"${retry > 0 ? 'timeout' : ''}","payload":${rendered.body.toString()}}`,
      ACK_MS,
    );
    const ack = await acked;
    connection.settled(envelopeId);
    this.metrics.settled(EVENTS, ack !== undefined, sentAt);
    if (!ack) this.remember(deliveryId, connection);
    if (!ack) return { answered: false, reason: 'http_timeout', message: 'no acknowledgement in time' };
    return { answered: true, status: 200, headers: {}, body: Buffer.alloc(0) };
  }

  private remember(deliveryId: number, connection: Connection): void {
    this.silent.set(deliveryId, connection);
  }
}
