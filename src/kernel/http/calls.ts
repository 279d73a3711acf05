import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TenantShares } from '../tenancy/tenant-shares.js';
import { isForTenant } from './call-context.js';
import { KnownCallers } from './known-callers.js';

/** Who called, as the timeline shows it (docs/reference/sandboxes.md#timeline). */
export interface CallCaller {
  readonly kind: 'bot' | 'user' | 'app' | 'jwt' | 'api_key' | 'webhook';
  readonly app_id?: string;
  readonly app?: string;
  readonly user_id?: string;
  readonly user?: string;
}

/** What an edge knows of a call as soon as its credential has led to a tenant. */
export interface Call {
  readonly tenantId: number;
  readonly product: 'chat' | 'tracker';
  /** `chat.postMessage`, `issueCreate`, `webhooks.incoming`, `POST /api/apps`. */
  method: string;
  /** All root fields of a GraphQL document with several. */
  methods?: readonly string[];
  readonly caller: CallCaller;
  /** As read, before anything is redacted. */
  args: unknown;
  /** Whether the call is recorded. */
  journal: boolean;
  /** Whether anything was asked to go wrong in this tenant. */
  readonly hasFaults: boolean;
  /** The admin behind a person's token that was made for them. */
  readonly actedBy?: string;
  /** `ui` for the web UI's own calls. */
  readonly client?: 'ui';
  /** The tracker's `{complexity, complexity_left, requests_left}`. */
  cost?: object;
  /** The fault that hit the call. */
  fault?: string;
  /** The product's own word for what the call was refused with; null: it was not. Undefined: by status and answer. */
  error?: string | null;
}

/** An answer as it is sent. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A refusal that a test asked for. */
export interface InjectedRefusal {
  readonly error: string;
  readonly status?: number;
  readonly message?: string;
}

/** How an edge words what a test asked to go wrong. */
export interface FaultDialect {
  ratelimited(retryAfterSeconds: number): PlainAnswer;
  error(asked: InjectedRefusal): PlainAnswer;
  /** 503: too many calls are held back already. */
  unavailable(retryAfterSeconds: number): PlainAnswer;
}

/** Thrown to end a call that has been answered; nothing more is sent. */
export class AlreadyAnswered extends Error {}

/** What stands behind the edges: records calls, makes them fail. */
export interface CallObserver {
  /** The caller is known. Must be quick and not throw. */
  began(request: FastifyRequest, reply: FastifyReply, call: Call): void;
  /** The call's place for faults. Resolves when it is to go on. @throws AlreadyAnswered */
  meet(request: FastifyRequest, reply: FastifyReply, call: Call, dialect: FaultDialect): Promise<void>;
}

type CalledRequest = FastifyRequest & { call?: Call };

/** Where all edges report who called what, as soon as it is known (docs/decisions). */
@Injectable()
export class Calls {
  private observer: CallObserver | undefined;

  constructor(
    private readonly shares: TenantShares,
    private readonly callers: KnownCallers,
  ) {}

  /** At start-up. */
  observe(observer: CallObserver): void {
    this.observer = observer;
  }

  /** The edge knows the caller; the call goes on whatever the listener does. */
  begin(request: FastifyRequest, reply: FastifyReply, call: Call): void {
    (request as CalledRequest).call = call;
    const share = this.shares.of(call.tenantId);
    this.callers.note(request, share, call.caller.kind === 'webhook');
    isForTenant(call.tenantId, share);
    this.observer?.began(request, reply, call);
  }

  /**
   * Whose request it is that is no call of the timeline, as those of the routes of sandboxes: it counts with its tenant's all the same.
   * @throws RestError 503 service_unavailable where too many of the tenant's calls are under way
   */
  countFor(request: FastifyRequest, tenantId: number): void {
    const share = this.shares.of(tenantId);
    this.callers.note(request, share, false);
    isForTenant(tenantId, share);
  }

  /** The caller turned out to be another, or none: the edge begins the call again. */
  restart(request: FastifyRequest): void {
    delete (request as CalledRequest).call;
  }

  /** Where the order of checks has faults. Undefined, and at no cost, where nobody asked for one. */
  meet(request: FastifyRequest, reply: FastifyReply, dialect: FaultDialect): Promise<void> | undefined {
    const call = callOf(request);
    if (!call?.hasFaults) return undefined;
    return this.observer?.meet(request, reply, call, dialect);
  }
}

/** What is known of a request's call; undefined before its caller is. */
export const callOf = (request: FastifyRequest): Call | undefined => (request as CalledRequest).call;
