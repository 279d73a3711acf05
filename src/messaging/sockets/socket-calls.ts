import { Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import { Db } from '../../kernel/database/db.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import { EventLog } from '../../kernel/events/event-log.js';
import { Wakeups } from '../../kernel/events/wakeups.js';
import type { App } from '../access/apps-access.js';
import { AppFailure } from '../rest/app-failure.js';
import { AppSender, type AppCall, type AppReply, type AppTransport } from '../rest/app-sender.js';
import { Acks } from './acks.js';
import { ConnectionRows } from './connection-rows.js';
import { Connections } from './connections.js';
import { EnvelopeIds } from './envelope-ids.js';
import { ACK_MS } from './socket-dialect.js';
import { SocketMetrics } from './socket-metrics.js';
import { ANSWERED_REQUESTS, CLAIM_REQUESTS, INSERT_REQUEST } from './sockets.queries.js';

/** Minimum time between two reads of requests and answers of other replicas. */
const SEARCH_EVERY_MS = 20;
const POLL_MS = 250;

/** Interactions whose ack may carry a payload. */
const ANSWERING = new Set(['slash_command', 'view_submission', 'block_suggestion']);

/** Commands and interactions over Socket Mode: sent once, never held, answered by the ack's payload. */
@Injectable()
export class SocketCalls implements AppTransport {
  readonly name = 'socket';
  /** Requests of ours that another replica may answer, by envelope. */
  private readonly elsewhere = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private searchedAt = -Infinity;

  constructor(
    private readonly db: Db,
    private readonly connections: Connections,
    private readonly rows: ConnectionRows,
    private readonly acks: Acks,
    private readonly ids: EnvelopeIds,
    private readonly eventLog: EventLog,
    private readonly store: StoreInfo,
    wakeups: Wakeups,
    sender: AppSender,
    private readonly metrics: SocketMetrics,
  ) {
    sender.register(this);
    // other replicas only wake each other up, and the embedded database has none
    if (!store.embedded) wakeups.onOthers(AsyncResource.bind(() => this.searchSoon(0)));
  }

  async wayTo(app: App): Promise<'only' | 'open' | 'closed' | 'off'> {
    if (app.socketMode === 'off') return 'off';
    if (app.socketMode === 'on') return 'only';
    return this.connections.isHere(app.id) || (await this.rows.connected(app.id)).anywhere ? 'open' : 'closed';
  }

  async send(call: AppCall): Promise<AppReply> {
    const id = this.ids.ofCall();
    const accepts = call.type === 'slash_commands' || ANSWERING.has(call.kind);
    const stored = JSON.stringify({
      envelope_id: id,
      type: call.type,
      accepts_response_payload: accepts,
      payload: call.payload,
    });
    const body = ownIds()?.outside(stored) ?? stored;
    const appId = call.app.id;
    const connection = this.connections.pickForCall(appId);
    const isShared = !this.store.embedded;
    if (!connection && !(isShared && (await this.rows.connected(appId)).elsewhere)) {
      throw new AppFailure('connection_failed', 'socket');
    }
    // the client may ack on another connection than this one, which may be one to another replica
    if (isShared) {
      const request = connection ? ['', this.rows.replica] : [body, null];
      await this.db.run(INSERT_REQUEST, [id, appId, call.tenantId, ACK_MS, ...request]);
      this.elsewhere.set(id, appId);
    }
    const sentAt = performance.now();
    const { acked } = this.acks.wait(id, appId, ACK_MS);
    if (connection) connection.send(id, body, ACK_MS);
    else this.eventLog.wake();
    if (isShared) this.searchSoon(POLL_MS);
    const ack = await acked;
    this.elsewhere.delete(id);
    connection?.settled(id);
    this.metrics.settled(call.type, ack !== undefined, sentAt);
    if (!ack) throw new AppFailure('operation_timeout', 'socket');
    return { transport: 'socket', status: 200, text: accepts ? textOf(ack.payload) : '' };
  }

  private searchSoon(inMs: number): void {
    if (this.timer || (this.elsewhere.size === 0 && this.connections.count === 0)) return;
    const wait = Math.max(inMs, this.searchedAt + SEARCH_EVERY_MS - performance.now());
    this.timer = setTimeout(this.searchApart, wait).unref();
  }

  /** Outside any request's context, whichever call came first. */
  private readonly searchApart = AsyncResource.bind((): void => {
    this.timer = undefined;
    this.searchedAt = performance.now();
    this.search()
      .catch(() => undefined)
      .finally(() => {
        if (this.elsewhere.size > 0) this.searchSoon(POLL_MS);
      });
  });

  private async search(): Promise<void> {
    const { apps } = this.connections;
    if (apps.length > 0) {
      const rows = await this.db.run<{ id: string; appId: string; body: string }>(CLAIM_REQUESTS, [
        apps,
        this.rows.replica,
      ]);
      for (const { id, appId, body } of rows) this.connections.pickForCall(appId)?.send(id, body, ACK_MS);
    }
    if (this.elsewhere.size === 0) return;
    const answers = await this.db.read<{ id: string; answer: string | null }>(ANSWERED_REQUESTS, [
      [...this.elsewhere.keys()],
    ]);
    for (const { id, answer } of answers) {
      const payload: unknown = answer === null ? undefined : JSON.parse(answer);
      this.acks.settleOwn(id, this.elsewhere.get(id) ?? '', payload);
    }
  }
}

/** An ack's payload as the body of an HTTP answer: none for an empty one; a string is a text. */
function textOf(payload: unknown): string {
  if (payload === undefined || payload === null || payload === '') return '';
  if (typeof payload === 'string') return JSON.stringify({ text: payload });
  if (typeof payload === 'object' && Object.keys(payload).length === 0) return '';
  return JSON.stringify(payload);
}
