import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import { currentCause, outside } from '../../kernel/http/call-context.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { ObservedCall } from '../../webhooks/dialect.js';
import type { FailureReason } from '../../webhooks/guarded-http.js';
import type { GateDecision } from '../../webhooks/delivery-gate.js';
import type { App } from '../access/apps-access.js';
import { AppFailure, type TransportName } from './app-failure.js';
import { APP_TIMEOUT_MS, AppRequests, type Exchange } from './app-requests.js';

/** A request to an app whose answer is awaited: a slash command or an interaction. */
export interface AppCall {
  readonly tenantId: number;
  readonly app: App;
  /** What the call is on a socket. */
  readonly type: 'slash_commands' | 'interactive';
  /** `slash_command`, or the `type` of the interaction's payload. */
  readonly kind: string;
  /** A command's fields in their order, or an interaction's payload. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Where the app takes it over HTTP, if anywhere. */
  readonly url: string | null;
  /** A slash command's own id. */
  readonly commandId?: string;
}

/** What an app answered in time. Over a socket the status is 200 and the text the ack's payload, `''` for none. */
export interface AppReply {
  readonly transport: TransportName;
  readonly status: number;
  readonly text: string;
}

/** The outcome of a call, for observers. */
export interface AppDelivery {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly appId: string;
  readonly kind: string;
  readonly transport: TransportName;
  readonly outcome: 'acked' | 'failed';
  /** Null without an answer. */
  readonly statusCode: number | null;
  readonly error?: string;
  /** The time until the answer, or until it was given up. */
  readonly ms: number;
}

/**
 * Another way to an app than its URLs. `only`: the app receives calls nowhere else, connected or not. `open`: it is
 * connected now and receives them here. `closed`: it could connect, but is not connected now. `off`: it never will.
 */
export interface AppTransport {
  readonly name: TransportName;
  wayTo(app: App): Promise<'only' | 'open' | 'closed' | 'off'>;
  /** @throws AppFailure operation_timeout after 3 s, connection_failed without a connection */
  send(call: AppCall): Promise<AppReply>;
}

/** The state of a call on its way: the request, and the rule that was applied. */
interface CallProgress {
  exchange?: Exchange;
  rule?: string;
  isLost?: boolean;
}

/** A call with its outcome. */
export interface SentCall {
  readonly call: AppCall;
  readonly delivery: AppDelivery;
  /** Absent when the app failed. */
  readonly reply?: AppReply;
}

/** The one way in which commands and interactions reach an app, whoever caused them. */
@Injectable()
export class AppSender {
  private transport: AppTransport | undefined;
  private readonly listeners: ((delivery: AppDelivery, call: AppCall) => void)[] = [];
  private readonly collecting = new AsyncLocalStorage<SentCall[]>();

  constructor(
    private readonly requests: AppRequests,
    private readonly engine: DeliveryEngine,
  ) {}

  /** At start-up. */
  register(transport: AppTransport): void {
    this.transport = transport;
  }

  /** Called after every call was answered or given up. Must not throw. */
  onDelivery(listener: (delivery: AppDelivery, call: AppCall) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Whether there is any way to the app: a URL, a connection, or a manifest that enables sockets
   * (`no_interactivity_url`).
   */
  async reaches(app: App, url: string | null): Promise<boolean> {
    if (url !== null) return true;
    const way = await this.transport?.wayTo(app);
    return way === 'only' || way === 'open';
  }

  /**
   * Sends once and waits up to 3 s.
   * @throws AppFailure
   */
  async send(call: AppCall): Promise<AppReply> {
    const startedAt = performance.now();
    const way: CallProgress = {};
    const about = { tenantId: call.tenantId, workspaceId: call.app.workspaceId, appId: call.app.id, kind: call.kind };
    const report = (
      delivery: Pick<AppDelivery, 'transport' | 'outcome' | 'statusCode' | 'error'>,
      reply?: AppReply,
    ): void => {
      const whole: AppDelivery = { ...about, ...delivery, ms: Math.round(performance.now() - startedAt) };
      this.collecting.getStore()?.push({ call, delivery: whole, ...(reply && { reply }) });
      for (const listener of this.listeners) listener(whole, call);
      this.engine.observed(observedCall(call, whole, way, reply));
    };
    try {
      const reply = await outside(() => this.deliverAsRuled(call, way));
      report({ transport: reply.transport, outcome: 'acked', statusCode: reply.status }, reply);
      return reply;
    } catch (error) {
      if (error instanceof AppFailure) {
        report({ transport: error.transport, outcome: 'failed', statusCode: error.statusCode, error: error.code });
      }
      throw error;
    }
  }

  /** Runs `work`; everything that it sends to apps is added to `sent`, even when it fails. */
  collect<T>(sent: SentCall[], work: () => Promise<T>): Promise<T> {
    return this.collecting.run(sent, work);
  }

  /** A sandbox's rules apply to commands and interactions too (docs/reference/sandboxes.md#deliveries). */
  private async deliverAsRuled(call: AppCall, on: CallProgress): Promise<AppReply> {
    const rule = await this.engine.gate?.decide({
      tenantId: call.tenantId,
      deliveryId: 0,
      targetId: targetOf(call),
      product: productOf(call),
      target: { url: call.url ?? undefined },
      kind: call.kind,
      attempt: 0,
      data: JSON.stringify(call.payload),
    });
    if (!rule) return this.deliver(call, on);
    on.rule = rule.ruleId;
    if (rule.type === 'drop') {
      on.isLost = true;
      throw new AppFailure('operation_timeout', 'http');
    }
    if (rule.type === 'answer') return answerOf(rule);
    if (rule.type === 'hold') return this.deliverLate(call, on, rule.dueMs ?? 0);
    if (rule.type === 'duplicate') {
      for (let n = 1; n < rule.copies; n++) {
        setTimeout(() => void this.deliver(call, {}).catch(() => undefined), n * rule.gapMs).unref();
      }
    }
    if (rule.type === 'bad_signature') return this.deliver(call, on, { secret: 'not the secret of this app' });
    return this.deliver(call, on, rule.type === 'stale_timestamp' ? { staleSeconds: rule.seconds } : {});
  }

  /** The caller waits for the usual time; the app gets the request when it is due all the same. */
  private async deliverLate(call: AppCall, on: CallProgress, ms: number): Promise<AppReply> {
    const sent = sleep(ms, undefined, { ref: false }).then(() => this.deliver(call, on));
    if (ms < APP_TIMEOUT_MS) return sent;
    sent.catch(() => undefined);
    await sleep(APP_TIMEOUT_MS);
    throw new AppFailure('operation_timeout', 'http');
  }

  private async deliver(
    call: AppCall,
    on: CallProgress,
    signing: { readonly secret?: string; readonly staleSeconds?: number } = {},
  ): Promise<AppReply> {
    const way = await this.transport?.wayTo(call.app);
    if (this.transport && (way === 'only' || way === 'open')) return this.transport.send(call);
    if (call.url === null) throw new AppFailure('connection_failed', 'http');
    const fields =
      call.type === 'slash_commands'
        ? (call.payload as Record<string, string>)
        : { payload: JSON.stringify(call.payload) };
    const { workspaceId, signingSecret: secret } = call.app;
    const onSent = (exchange: Exchange): void => void (on.exchange = exchange);
    const { status, text } = await this.requests.form(
      { url: call.url, secret, workspaceId, onSent, ...signing },
      fields,
    );
    return { transport: 'http', status, text };
  }
}

const productOf = ({ type }: AppCall): string => (type === 'slash_commands' ? 'chat.commands' : 'chat.interactions');
const targetOf = ({ commandId, app }: AppCall): string => commandId ?? app.id;

const REASONS: Readonly<Record<string, FailureReason>> = {
  operation_timeout: 'http_timeout',
  http_client_error: 'http_error',
};

/** A call, in the format of an attempt to deliver an event. */
function observedCall(
  call: AppCall,
  delivery: AppDelivery,
  way: CallProgress,
  reply: AppReply | undefined,
): ObservedCall {
  const answer = way.exchange?.answer;
  const isSocket = delivery.transport === 'socket';
  const seen = (text: string): string => ownIds()?.outside(text) ?? text;
  const body = seen(JSON.stringify(call.payload));
  const response = answer?.answered
    ? { status: answer.status, headers: answer.headers, body: answer.body }
    : delivery.statusCode === null
      ? undefined
      : { status: delivery.statusCode, headers: {}, body: Buffer.from(seen(reply?.text ?? '')) };
  const { trigger_id: triggerId } = call.payload;
  return {
    tenantId: call.tenantId,
    product: productOf(call),
    target: {
      id: targetOf(call),
      url: isSocket ? '' : (call.url ?? ''),
      apiAppId: call.app.id,
      secret: call.app.signingSecret,
    },
    kind: call.kind,
    request: way.exchange?.request ?? (isSocket ? { url: '', headers: {}, body } : undefined),
    ...(response && { response }),
    ...(delivery.error !== undefined && {
      error: way.isLost ? ('lost' as FailureReason) : (REASONS[delivery.error] ?? 'connection_failed'),
    }),
    ...(way.rule !== undefined && { rule: way.rule }),
    ...(typeof triggerId === 'string' && { triggerId }),
    cause: currentCause(),
    ms: delivery.ms,
  };
}

/**
 * Nothing is sent: it counts as answered with this status.
 * @throws AppFailure
 */
function answerOf({ status = 200, error }: Extract<GateDecision, { type: 'answer' }>): AppReply {
  if (error !== undefined) {
    throw new AppFailure(error === 'http_timeout' ? 'operation_timeout' : 'connection_failed', 'http');
  }
  if (status < 200 || status > 299) throw new AppFailure('http_client_error', 'http', status);
  return { transport: 'http', status, text: '' };
}
