import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LongWork } from '../../kernel/clock/long-work.js';
import { Clock } from '../../kernel/clock/clock.js';
import { currentStep, toCaller } from '../../kernel/clock/request-sandbox.js';
import { Db } from '../../kernel/database/db.js';
import { AlreadyAnswered, type Call, type FaultDialect, type PlainAnswer } from '../../kernel/http/calls.js';
import { currentCall, outside } from '../../kernel/http/call-context.js';
import { bodyAsSent } from '../../kernel/http/callers-ids.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { newHex } from '../../kernel/ids/ids.js';
import { namesIn, readMatcher } from '../../kernel/matchers/matcher.js';
import { bare, matches } from '../../kernel/matchers/matches.js';
import { SandboxStreams } from '../../kernel/sandbox/sandbox-streams.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { isMethod } from '../timeline/filters.js';
import { Recorder } from '../timeline/recorder.js';
import { AFTER_EFFECT, type FaultAction } from './fault.js';
import { FAULTS, COUNT_MATCHING_CALL, type FaultRow } from './faults.queries.js';
import { endWithout, trickle, writeHalf } from './broken-answers.js';

/** The most calls of a sandbox that are delayed at once; each costs a connection and its memory. */
const MAX_HELD = 200;
/** How long an unanswered or slow call lasts, in milliseconds. */
const LONGEST_MS = 120_000;
/** Marks the server's own repetition of a call; the value is secret. */
const REPEATED = 'x-understudy-repeated';

type Sent = (error: Error | null, payload?: unknown) => void;
type FaultyRequest = FastifyRequest & { faultAfter?: FaultAction };
type LossListener = (request: FastifyRequest, reply: FastifyReply, call: Call, payload: unknown) => void;

/**
 * Makes calls fail as tests configured (docs/reference/sandboxes.md#faults). Only used for calls of sandboxes with
 * faults.
 */
@Injectable()
export class FaultGate implements BeforeApplicationShutdown {
  private readonly held = new Map<number, number>();
  /** Callbacks that end the delays of calls. */
  private readonly pauses = new Set<() => void>();
  private isStopping = false;
  private readonly secret = newHex(32);
  private lost: LossListener = () => undefined;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly recorder: Recorder,
    private readonly views: SandboxViews,
    private readonly streams: SandboxStreams,
  ) {}

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const end of this.pauses) end();
  }

  /** Called for calls whose answer is lost or replaced. */
  onLost(lost: LossListener): void {
    this.lost = lost;
  }

  /** @throws AlreadyAnswered when the call ends here */
  async applyFaults(request: FastifyRequest, reply: FastifyReply, call: Call, dialect: FaultDialect): Promise<void> {
    if (request.headers[REPEATED] === this.secret) return;
    const fault = await this.faultOf(call);
    if (!fault) return;
    call.fault = fault.id;
    this.recordFired(request, call, fault);
    const action = fault.fault as unknown as FaultAction;
    const holds = action.type === 'delay' || action.type === 'slow' || action.how === 'timeout';
    if (holds && !this.hold(call.tenantId, reply)) answer(reply, dialect.unavailable(1));
    if (AFTER_EFFECT.has(action.type)) {
      (request as FaultyRequest).faultAfter = action;
      return;
    }
    switch (action.type) {
      case 'ratelimited':
        return answer(reply, dialect.ratelimited(action.retry_after ?? 1));
      case 'error':
        return answer(
          reply,
          dialect.error({
            error: action.code ?? action.error ?? 'fatal_error',
            ...(action.status !== undefined && { status: action.status }),
            ...(action.message !== undefined && { message: action.message }),
          }),
        );
      case 'http':
        return answer(reply, httpAnswer(action));
      case 'expire_stream': {
        const { channel, ts } = call.args as Readonly<Record<string, unknown>>;
        if (typeof channel !== 'string') return;
        await this.streams.expire(call.tenantId, { channels: [channel], ts: String(ts) });
        return;
      }
      case 'drop':
        this.lost(request, reply, call, undefined);
        endWithout(reply);
        throw new AlreadyAnswered();
      default: {
        const ms = delayOf(action, fault.fired);
        await outside(() => this.pause(ms, reply));
        if (reply.raw.destroyed) throw new AlreadyAnswered();
      }
    }
  }

  /** Applies faults to a finished answer; `sent` gets the replacement that is sent, if any. */
  afterEffect(request: FastifyRequest, reply: FastifyReply, call: Call, payload: unknown, sent: Sent): void {
    const action = (request as FaultyRequest).faultAfter;
    if (!action) return sent(null, payload);
    (request as FaultyRequest).faultAfter = undefined;
    if (action.type === 'duplicate') {
      outside(() => this.repeat(request)).then(
        () => sent(null, payload),
        () => sent(null, payload),
      );
      return;
    }
    if (action.type === 'redirect') {
      const location = reply.getHeader('location');
      if (typeof location === 'string') void reply.header('location', redirectedTo(location, action));
      return sent(null, payload);
    }
    if (action.type === 'lose_answer' && action.how === 'http') {
      this.lost(request, reply, call, payload);
      void reply.code(502).header('content-type', 'text/html; charset=utf-8').removeHeader('content-length');
      return sent(null, '<html><body><h1>502 Bad Gateway</h1></body></html>');
    }
    this.lost(request, reply, call, payload);
    // the call had its effect: the next one of its sandbox does not wait until the caller knows
    const send = (): void => this.sendBroken(reply, action, typeof payload === 'string' ? toCaller(payload) : payload);
    const step = currentStep();
    if (step) step.end(true).then(send, send);
    else send();
  }

  private sendBroken(reply: FastifyReply, action: FaultAction, payload: unknown): void {
    if (action.type === 'truncate') return writeHalf(reply, payload);
    if (action.type === 'slow') return trickle(reply, payload, action.bytes_per_second ?? 1, LONGEST_MS);
    if (action.how !== 'timeout') return endWithout(reply);
    void this.pause(LONGEST_MS, reply).then(() => endWithout(reply));
  }

  /** Resolves after this many milliseconds, or when the caller hangs up, or the server stops. */
  private pause(ms: number, { raw }: FastifyReply): Promise<void> {
    return new Promise((over) => {
      const end = (): void => {
        clearTimeout(timer);
        raw.off('close', end);
        this.pauses.delete(end);
        over();
      };
      const timer = setTimeout(end, ms).unref();
      if (raw.destroyed || this.isStopping) return end();
      raw.once('close', end);
      this.pauses.add(end);
    });
  }

  private async faultOf(call: Call): Promise<FaultRow | undefined> {
    const faults = await this.db.read<FaultRow & { [column: string]: unknown }>(FAULTS, [call.tenantId]);
    const about = {
      kind: 'call',
      product: call.product,
      method: call.method,
      ...(call.methods && { methods: call.methods }),
      caller: call.caller,
      args: call.args,
    };
    const fitting: FaultRow[] = [];
    const work = new LongWork();
    for (const fault of faults) {
      await work.pause();
      if (await this.fits(fault, call, about)) fitting.push(fault);
    }
    if (fitting.length === 0) return undefined;
    const met = await this.db.run<{ id: string; hit: boolean | null }>(COUNT_MATCHING_CALL, [
      fitting.map(({ id }) => id),
      call.tenantId,
    ]);
    const hit = met.find((row) => row.hit === true);
    return hit && fitting.find(({ id }) => id === hit.id);
  }

  private async fits({ on_call: on, fault }: FaultRow, call: Call, about: object): Promise<boolean> {
    if (fault.type === 'redirect' && call.isRedirect !== true) return false;
    const methods = call.methods ?? [call.method];
    if (!methods.some((method) => isCalled(on.method, method))) return false;
    if (on.caller !== undefined && on.caller !== call.caller.kind) return false;
    const { app, app_id: appId } = call.caller;
    if (on.app !== undefined && on.app !== appId && bare(on.app) !== app) return false;
    if (on.where === undefined) return true;
    const where = readMatcher(on.where);
    return matches(where, about, await this.views.aliases(call.tenantId, [...namesIn(where)]));
  }

  private recordFired(request: FastifyRequest, call: Call, { id, fault }: FaultRow): void {
    this.recorder.add({
      tenantId: call.tenantId,
      atMs: this.clock.nowMs(),
      wallMs: this.clock.wallMs(),
      kind: 'fault',
      head: {
        action: 'fired',
        fault_id: id,
        type: fault.type,
        product: call.product,
        method: call.method,
        cause: request.id,
      },
      body: {},
    });
  }

  /** False when too many are delayed already; released when the connection is done with. */
  private hold(tenantId: number, reply: FastifyReply): boolean {
    const held = this.held.get(tenantId) ?? 0;
    if (held >= MAX_HELD) return false;
    currentCall()?.turn?.stepOut();
    this.held.set(tenantId, held + 1);
    reply.raw.once('close', () => {
      const left = (this.held.get(tenantId) ?? 1) - 1;
      if (left > 0) this.held.set(tenantId, left);
      else this.held.delete(tenantId);
    });
    return true;
  }

  /** Repeats the call, as a proxy would. */
  private async repeat(request: FastifyRequest): Promise<void> {
    const body = bodyAsSent(request);
    const raw = Buffer.isBuffer(body) || body === undefined || body === null;
    const headers: Record<string, string | string[] | undefined> = { ...request.headers, [REPEATED]: this.secret };
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'expect']) delete headers[name];
    if (!raw) headers['content-type'] = 'application/json';
    await (request.server as unknown as FastifyInstance).inject({
      method: request.method as 'POST',
      url: request.url,
      headers: headers as Record<string, string>,
      ...(body !== undefined && body !== null && { payload: raw ? (body as Buffer) : JSON.stringify(body) }),
    });
  }
}

/** Control routes match by their declaration or by their path, with `:id` for any part. */
const isCalled = (wanted: string, method: string): boolean =>
  isMethod(wanted, method) || (wanted.includes('/') && routePattern(wanted).test(method));

const routePattern = (wanted: string): RegExp =>
  new RegExp(`^${wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, ':?[^/]+')}$`);

function answer(reply: FastifyReply, { status, headers = {}, body }: PlainAnswer): never {
  // bodies become the caller's when they are sent
  void reply.code(status).headers(eachText(headers, toCaller)).send(body);
  throw new AlreadyAnswered();
}

/** The answer that a test configured. It has the web UI's origin, so it must not be able to run scripts there. */
export function httpAnswer(action: FaultAction): PlainAnswer {
  const body = action.body ?? '';
  const given = Object.fromEntries(
    Object.entries(action.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    status: action.status ?? 500,
    body,
    headers: {
      'content-type': /^\s*[[{]/.test(body) ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
      ...given,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    },
  };
}

/** The same as an address anybody can name in a `<script>`: what would run there is served as text. */
export function inboxAnswer(action: FaultAction): PlainAnswer {
  const answer = httpAnswer(action);
  const type = answer.headers?.['content-type'] ?? '';
  if (!/(?:java|ecma|j|live)script/i.test(type)) return answer;
  return { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain; charset=utf-8' } };
}

/** A redirect with other parameters. */
function redirectedTo(location: string, { set = {}, remove = [] }: FaultAction): string {
  const url = new URL(location);
  for (const name of remove) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(set)) url.searchParams.set(name, value);
  return url.href;
}

/** A value between its bounds, the same in every run. */
function delayOf({ ms, min_ms: low = 0, max_ms: high }: FaultAction, fired: number): number {
  if (ms !== undefined) return ms;
  const most = high ?? low;
  return low + (((fired + 1) * 2_654_435_761) % 2 ** 32) * ((most - low) / 2 ** 32);
}
