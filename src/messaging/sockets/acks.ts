import { Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { Db } from '../../kernel/database/db.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import { EventLog } from '../../kernel/events/event-log.js';
import { Connections } from './connections.js';
import { EnvelopeIds } from './envelope-ids.js';
import { ANSWER_REQUEST, SETTLE } from './sockets.queries.js';

/** An envelope of this replica waiting for its ack. */
interface Pending {
  readonly appId: string;
  readonly settle: (payload: unknown) => void;
}

/**
 * Settles envelopes: on any connection of the same app, on any replica, the first ack wins. An ack of an older attempt
 * settles the event as well; acks of settled or unknown envelopes are ignored.
 */
@Injectable()
export class Acks {
  /** By delivery for events, by envelope for commands and interactions. */
  private readonly pending = new Map<string, Pending>();

  constructor(
    private readonly db: Db,
    private readonly eventLog: EventLog,
    private readonly ids: EnvelopeIds,
    private readonly store: StoreInfo,
    connections: Connections,
  ) {
    connections.onAck(AsyncResource.bind((appId, id, payload) => this.acked(appId, id, payload)));
  }

  /** Waits this many milliseconds for an ack; undefined when there was none. */
  wait(key: string, appId: string, forMs: number): { acked: Promise<{ payload: unknown } | undefined> } {
    const acked = new Promise<{ payload: unknown } | undefined>((resolve) => {
      const over = (result: { payload: unknown } | undefined): void => {
        clearTimeout(timer);
        if (this.pending.get(key) === one) this.pending.delete(key);
        resolve(result);
      };
      const timer = setTimeout(() => over(undefined), forMs);
      const one: Pending = { appId, settle: (payload) => over({ payload }) };
      this.pending.set(key, one);
    });
    return { acked };
  }

  static ofDelivery(deliveryId: number): string {
    return `delivery:${deliveryId}`;
  }

  /** Settles an envelope that this replica waits for, wherever its ack arrived. False: it waits for none such. */
  settleOwn(key: string, appId: string, payload: unknown): boolean {
    const one = this.pending.get(key);
    if (!one || one.appId !== appId) return false;
    one.settle(payload);
    return true;
  }

  private acked(appId: string, id: string, payload: unknown): void {
    const of = this.ids.deliveryOf(id);
    if (of === undefined) return;
    if (of !== 'call') {
      if (!this.settleOwn(Acks.ofDelivery(of), appId, undefined)) this.cancelRetryElsewhere(of, appId);
      return;
    }
    // a request that is sent once is awaited by the replica of its caller; with the embedded store that is this one
    if (this.settleOwn(id, appId, payload) || this.store.embedded) return;
    const answer = payload === undefined ? null : JSON.stringify(payload);
    this.db
      .run(ANSWER_REQUEST, [id, appId, answer])
      .then((rows) => rows.length > 0 && this.eventLog.wake())
      .catch(() => undefined);
  }

  /** An event that another replica sent, or whose attempt is over: its retry is cancelled. */
  private cancelRetryElsewhere(deliveryId: number, appId: string): void {
    this.db.run(SETTLE, [deliveryId, appId]).catch(() => undefined);
  }
}
