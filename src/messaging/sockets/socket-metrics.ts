import { Injectable } from '@nestjs/common';
import { Metrics } from '../../kernel/metrics/metrics.js';

/** `held`: it waited for a connection. `retried`: sent again. `dropped`: no connection came, or it was not acked. */
export type EnvelopeOutcome = 'acked' | 'timeout' | 'retried' | 'dropped' | 'held';

/** Figures of Socket Mode (docs/reference/socket-mode.md#metrics). */
@Injectable()
export class SocketMetrics {
  private readonly envelopes: (labels: { type: string; outcome: string }, count?: number) => void;
  private readonly ackSeconds: (labels: { type: string }, seconds: number) => void;

  constructor(private readonly metrics: Metrics) {
    this.envelopes = metrics.counter(
      'understudy_socket_envelopes_total',
      'Envelopes over Socket Mode, by type and outcome.',
      ['type', 'outcome'],
    );
    this.ackSeconds = metrics.histogram(
      'understudy_socket_ack_seconds',
      'From the sending of an envelope to its acknowledgement, by type.',
      ['type'],
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3],
    );
  }

  connections(read: () => number): void {
    this.metrics.gauge('understudy_socket_connections', 'Open Socket Mode connections.', read);
  }

  count(type: string, outcome: EnvelopeOutcome, count = 1): void {
    if (count > 0) this.envelopes({ type, outcome }, count);
  }

  /** An envelope that was sent `since` (`performance.now()`) is settled, or has timed out. */
  settled(type: string, isAcked: boolean, since: number): void {
    this.count(type, isAcked ? 'acked' : 'timeout');
    if (isAcked) this.ackSeconds({ type }, (performance.now() - since) / 1000);
  }
}
