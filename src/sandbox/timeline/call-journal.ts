import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../kernel/clock/clock.js';
import { Calls, callOf, type Call, type FaultDialect } from '../../kernel/http/calls.js';
import { pathOf } from '../../kernel/http/edges.js';
import { isCheck } from '../../kernel/http/own-calls.js';
import { callOutcome } from '../../kernel/http/pressure.js';
import { FaultGate } from '../faults/fault-gate.js';
import { keepBody, keepValue, type Draft } from './entry.js';
import { sandboxCallOf } from '../access/sandbox-access.js';
import { Recorder } from './recorder.js';
import { Replicas } from './replicas.js';

/** Routes whose calls are not recorded: inspecting, signing in, health checks. */
const NO_CALLS = /^\/api\/(auth|ui|mcp|health|sandboxes|admin)(\/|$)/;

const isNoCall = (request: FastifyRequest): boolean => NO_CALLS.test(pathOf(request.url)) || isCheck(request);

/** Routes that make a mark on the timeline. */
const MARKING = /^\/api\/sandboxes\/[^/]+\/(reset|seed)$/;

/** The least length of an answer that is worth being compared with the one before, and how much of those is kept. */
const LONG = 1_024;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Records the calls of all edges, and applies faults to them. */
@Injectable()
export class CallJournal implements OnModuleInit {
  private readonly underWay = new Map<number, number>();
  /** The long answers that came last, by tenant and method. */
  private readonly latest = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (answer) => answer.length,
  });

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly recorder: Recorder,
    private readonly replicas: Replicas,
    private readonly faults: FaultGate,
  ) {
    replicas.answer('underway', (tenantId) => Promise.resolve(String(this.underWay.get(Number(tenantId)) ?? 0)));
  }

  onModuleInit(): void {
    this.calls.observe({
      began: (request, reply, call) => this.began(request, reply, call),
      applyFaults: (request, reply, call, dialect) => this.applyFaults(request, reply, call, dialect),
      answered: (request, reply, call, payload) => this.record(request, reply, call, payload),
    });
    this.faults.onLost((request, reply, call, payload) => this.record(request, reply, call, payload));
    const fastify = this.http.httpAdapter.getInstance() as FastifyInstance;
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const call = callOf(request);
      const marked = call || !MARKING.test(pathOf(request.url)) ? undefined : sandboxCallOf(request);
      if (marked) {
        // later entries are placed after the mark
        const go = (): void => done(null, payload);
        return void this.recorder.mark(marked.sandbox.tenantId).then(go, go);
      }
      if (!call) return done(null, payload);
      this.faults.afterEffect(request, reply, call, payload, (error, sent) => {
        this.record(request, reply, call, sent);
        done(error as null, sent);
      });
    });
  }

  /** Running calls in a sandbox, on all replicas. */
  async callsUnderWay(tenantId: number): Promise<number> {
    const others = await this.replicas.ask('underway', String(tenantId));
    return others.reduce((sum, n) => sum + Number(n), this.underWay.get(tenantId) ?? 0);
  }

  private began(request: FastifyRequest, reply: FastifyReply, call: Call): void {
    if (isNoCall(request)) {
      call.journal = false;
      return;
    }
    const { tenantId } = call;
    this.underWay.set(tenantId, (this.underWay.get(tenantId) ?? 0) + 1);
    reply.raw.once('close', () => this.ended(call));
  }

  private async applyFaults(
    request: FastifyRequest,
    reply: FastifyReply,
    call: Call,
    dialect: FaultDialect,
  ): Promise<void> {
    if (isNoCall(request) || pathOf(request.url).startsWith('/api/act/')) return;
    await this.faults.applyFaults(request, reply, call, dialect);
  }

  private record(request: FastifyRequest, reply: FastifyReply, call: Call, payload: unknown): void {
    if (!call.journal) return;
    call.journal = false;
    const { headers } = request;
    // pages for browsers hold the tickets of their forms
    const own = isKept(payload) && call.caller.kind !== 'browser' ? payload : undefined;
    const before = this.saidBefore(call, own);
    // nothing of the request but what the entry shows is kept until it is written
    const answered: Answered = {
      payload: before ?? own,
      contentType: String(reply.getHeader('content-type') ?? ''),
      statusCode: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      atMs: this.clock.nowMs(),
      wallMs: this.clock.wallMs(),
      outcome: callOutcome(request).outcome,
      requestId: request.id,
      userAgent: headers['user-agent'],
    };
    const size = (Number(headers['content-length']) || 0) + (before === undefined ? (own?.length ?? 0) : 0);
    this.recorder.addLater(call.tenantId, () => draftOf(call, answered), size);
  }

  /**
   * The answer before this one, if it says the same. Who asks again and again gets long equal ones: all of them kept, they
   * would be copied by the garbage collector and fill the room for what waits.
   */
  private saidBefore(call: Call, payload: string | Buffer | undefined): string | undefined {
    if (typeof payload !== 'string' || payload.length < LONG) return undefined;
    const key = `${call.tenantId} ${call.method}`;
    const before = this.latest.get(key);
    if (before === payload) return before;
    this.latest.set(key, payload);
    return undefined;
  }

  private ended(call: Call): void {
    const left = (this.underWay.get(call.tenantId) ?? 1) - 1;
    if (left > 0) this.underWay.set(call.tenantId, left);
    else this.underWay.delete(call.tenantId);
  }
}

const isKept = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

/** An answer, and what else of its call the entry shows. */
interface Answered {
  readonly payload: string | Buffer | undefined;
  readonly contentType: string;
  readonly statusCode: number;
  readonly ms: number;
  readonly atMs: number;
  readonly wallMs: number;
  readonly outcome: string | undefined;
  readonly requestId: string;
  readonly userAgent: string | undefined;
}

function draftOf(call: Call, answered: Answered): Draft {
  const { payload, contentType, statusCode, ms, atMs, wallMs } = answered;
  const args = keepValue(call.args ?? {});
  const { ok, error } = outcomeOf(call, answered);
  const draft = {
    tenantId: call.tenantId,
    atMs,
    wallMs,
    kind: 'call',
    cutFrom: args.cutFrom,
    head: {
      product: call.product,
      method: call.method,
      ...(call.methods && { methods: call.methods }),
      caller: call.caller,
      status: statusCode,
      ok,
      error,
      ms,
      request_id: answered.requestId,
      user_agent: answered.userAgent ?? null,
      ...(call.client && { client: call.client }),
      ...(call.actedBy !== undefined && { acted_by: call.actedBy }),
      ...(call.cost && { cost: call.cost }),
      ...(call.fault !== undefined && { fault: call.fault }),
    },
  };
  if (typeof payload === 'string') {
    return { ...draft, body: { args: args.json }, answer: { payload, contentType, isOwn: call.fault === undefined } };
  }
  const answer = payload && keepBody(payload, contentType === '' ? 'application/octet-stream' : contentType);
  return {
    ...draft,
    body: { args: args.json, answer: answer?.json ?? 'null' },
    cutFrom: answer?.cutFrom ?? args.cutFrom,
  };
}

function outcomeOf(call: Call, { payload, statusCode, outcome }: Answered): { ok: boolean; error: string | null } {
  if (call.error !== undefined) return { ok: call.error === null, error: call.error };
  const text = typeof payload === 'string' ? payload : '';
  if (text.startsWith('{"ok":true') || text.startsWith('{"data":')) return { ok: statusCode < 400, error: null };
  let body: {
    ok?: unknown;
    error?: unknown;
    error_description?: unknown;
    message?: unknown;
    errors?: { extensions?: { code?: unknown } }[];
  } = {};
  if (text.startsWith('{')) {
    try {
      body = JSON.parse(text) as typeof body;
    } catch {
      // a fault's answer may not be JSON
    }
  }
  if (call.product === 'tracker' && Array.isArray(body.errors)) {
    return { ok: false, error: String(body.errors[0]?.extensions?.code ?? 'error') };
  }
  if (body.ok === false) return { ok: false, error: outcome ?? String(body.error) };
  if (statusCode < 400) return { ok: true, error: null };
  // REST routes have their code in `message`, those of OAuth in `error` (RFC 6749, 5.2)
  const said = body.error_description === undefined ? body.message : body.error;
  const message = typeof said === 'string' ? said : undefined;
  return {
    ok: false,
    error: outcome ?? message ?? (text.length <= 100 && /^[a-z_]+$/.test(text) ? text : String(statusCode)),
  };
}
