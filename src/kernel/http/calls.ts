import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TenantShares } from '../tenancy/tenant-shares.js';
import { isUnread } from './body-sender.js';
import { isForTenant } from './call-context.js';
import { RestError } from './http-error.js';
import { KnownCallers } from './known-callers.js';
import type { OwnClient } from './own-calls.js';
import type { Product } from '../product.js';

/** Who called, as the timeline shows it (docs/reference/sandboxes.md#timeline). */
export interface CallCaller {
  readonly kind:
    | 'bot'
    | 'user'
    | 'app'
    | 'jwt'
    | 'api_key'
    | 'oauth'
    | 'webhook'
    | 'refresh'
    | 'config'
    | 'openid'
    | 'client'
    | 'browser';
  readonly app_id?: string;
  readonly app?: string;
  readonly user_id?: string;
  readonly user?: string;
}

/** What an edge knows of a call once its credential has led to a tenant. */
export interface Call {
  readonly tenantId: number;
  readonly product: Product;
  /** `chat.postMessage`, `issueCreate`, `webhooks.incoming`, `POST /api/apps`. */
  method: string;
  /** All root fields of a GraphQL document with several. */
  methods?: readonly string[];
  readonly caller: CallCaller;
  /** As received, before redaction. */
  args: unknown;
  /** Whether the call is recorded. */
  journal: boolean;
  /** Whether this tenant has any faults set. */
  readonly hasFaults: boolean;
  /** The admin who asked to call as this person, or with this app's token. */
  readonly actedBy?: string;
  /** `ui` for calls of the web UI; else which part of this process made it. */
  readonly client?: 'ui' | OwnClient;
  /** Its answer sends a browser elsewhere: what faults of the type `redirect` change. */
  readonly isRedirect?: true;
  /** The tracker's `{complexity, complexity_left, requests_left}`. */
  cost?: object;
  /** The fault that affected the call. */
  fault?: string;
  /** The error code in the product's own terms; null: no error. Undefined: derived from status and answer. */
  error?: string | null;
}

/** An answer as it is sent. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An error that a test asked for. */
export interface InjectedRefusal {
  readonly error: string;
  readonly status?: number;
  readonly message?: string;
}

/** How an edge words the errors that a test asks for. */
export interface FaultDialect {
  ratelimited(retryAfterSeconds: number): PlainAnswer;
  error(asked: InjectedRefusal): PlainAnswer;
  /** 503: too many calls are being delayed already. */
  unavailable(retryAfterSeconds: number): PlainAnswer;
}

/** Thrown to end a call that has been answered; nothing more is sent. */
export class AlreadyAnswered extends Error {}

/** Listens to the edges: records calls and applies faults. */
export interface CallObserver {
  /** The caller is known. Must be quick and not throw. */
  began(request: FastifyRequest, reply: FastifyReply, call: Call): void;
  /**
   * The point at which faults apply to the call. Resolves when it may continue.
   * @throws AlreadyAnswered
   */
  applyFaults(request: FastifyRequest, reply: FastifyReply, call: Call, dialect: FaultDialect): Promise<void>;
  /** A call whose caller was looked up when it had been answered. */
  answered(request: FastifyRequest, reply: FastifyReply, call: Call, payload: string): void;
}

type CalledRequest = FastifyRequest & { call?: Call };

/** All edges report here who called what, as soon as it is known. */
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

  /**
   * The caller is known; the call continues whatever the listener does.
   * @throws RestError 503 service_unavailable when its body was not read, as its credential has become good since
   */
  begin(request: FastifyRequest, reply: FastifyReply, call: Call): void {
    requireBody(request);
    (request as CalledRequest).call = call;
    const share = this.shares.of(call.tenantId);
    this.callers.note(request, share, call.caller.kind === 'webhook');
    isForTenant(call.tenantId, share);
    this.observer?.began(request, reply, call);
  }

  /** A call that was answered whoever the caller is: it is recorded, and nothing else. */
  noteAnswered(request: FastifyRequest, reply: FastifyReply, call: Call, payload: string): void {
    this.observer?.answered(request, reply, call, payload);
  }

  /**
   * For a request that is not a call of the timeline, such as the routes of sandboxes: it still counts among its
   * tenant's calls.
   * @throws RestError 503 service_unavailable when too many of the tenant's calls are running
   */
  countFor(request: FastifyRequest, tenantId: number): void {
    requireBody(request);
    const share = this.shares.of(tenantId);
    this.callers.note(request, share, false);
    isForTenant(tenantId, share);
  }

  /** Where faults come in the order of checks. Undefined, and free of cost, when the tenant has none. */
  applyFaults(request: FastifyRequest, reply: FastifyReply, dialect: FaultDialect): Promise<void> | undefined {
    const call = callOf(request);
    if (!call?.hasFaults) return undefined;
    return this.observer?.applyFaults(request, reply, call, dialect);
  }
}

function requireBody(request: FastifyRequest): void {
  if (isUnread(request)) throw new RestError(503, 'service_unavailable', 1);
}

/** The reported call of a request; undefined before its caller is known. */
export const callOf = (request: FastifyRequest): Call | undefined => (request as CalledRequest).call;
