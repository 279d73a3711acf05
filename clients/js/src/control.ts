import { answerOf, given, ignoringAbsence, type Api } from './http.js';
import { toWhere } from './matchers.js';
import type { Where } from './types.js';

/** Something that was set up for a test and can be removed; `await using` removes it at the end of its scope. */
export class Removable {
  /** @internal */
  constructor(
    readonly id: string,
    private readonly take: () => Promise<unknown>,
  ) {}

  /** A reset may have removed it already. */
  async remove(): Promise<void> {
    await ignoringAbsence(this.take());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }
}

export interface FaultSpec {
  type:
    | 'ratelimited'
    | 'error'
    | 'http'
    | 'delay'
    | 'drop'
    | 'slow'
    | 'truncate'
    | 'lose_answer'
    | 'duplicate'
    | 'redirect'
    | 'expire_stream';
  /** Parameters of the redirect back to the app, of an authorize URL. */
  set?: Record<string, string>;
  remove?: string[];
  retryAfter?: number;
  error?: string;
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  ms?: number;
  how?: 'drop' | 'timeout' | 'http';
  bytesPerSecond?: number;
  /** How many calls it affects; null: until it is removed. Default: one. */
  times?: number | null;
  skip?: number;
  probability?: number;
  app?: string;
  caller?: 'bot' | 'user' | 'app' | 'jwt' | 'api_key' | 'webhook' | 'client' | 'browser';
  where?: Where;
}

/** A fault that makes calls fail. */
export class Fault extends Removable {
  /** @internal */
  constructor(
    private readonly api: Api,
    private readonly sandbox: string,
    id: string,
  ) {
    super(id, () => api.DELETE('/api/sandboxes/{id}/faults/{fault}', { params: { path: { id: sandbox, fault: id } } }));
  }

  /** How many calls it has affected. */
  async fired(): Promise<number> {
    const params = { path: { id: this.sandbox } };
    const { faults } = await answerOf(this.api.GET('/api/sandboxes/{id}/faults', { params }));
    return faults.find(({ id }) => id === this.id)?.fired ?? 0;
  }
}

export function faultBody(method: string, spec: FaultSpec) {
  const { times, skip, probability, app, caller, where, retryAfter, bytesPerSecond, ...rest } = spec;
  return given({
    on: given({ method, app, caller, where: toWhere(where) }),
    fault: given({ ...rest, retry_after: retryAfter, bytes_per_second: bytesPerSecond }),
    times,
    skip,
    probability,
  });
}

export interface DeliveryFilter {
  target?: string;
  kind?: string;
  event?: string;
  where?: Where;
}

/** Deliveries to apps: hold them, release them in another order, send them again. */
export class Deliveries {
  private readonly holds: Removable[] = [];
  private readonly path: { id: string };

  /** @internal */
  constructor(
    private readonly api: Api,
    id: string,
  ) {
    this.path = { id };
  }

  /** Holds deliveries until `release`. */
  async hold(on: DeliveryFilter = {}): Promise<Removable> {
    const rule = await this.rule(on, { type: 'hold' }, { times: null });
    this.holds.push(rule);
    return rule;
  }

  /** A delivery rule of any kind, until it is removed: `rule({ event: 'message' }, { type: 'duplicate', copies: 2 })`. */
  async rule(
    on: DeliveryFilter,
    what: { type: string; [field: string]: unknown },
    options: { times?: number | null; skip?: number } = {},
  ): Promise<Removable> {
    const { path } = this;
    const body = { on: given({ ...on, where: toWhere(on.where) }), do: what, ...options };
    // the fields of a rule depend on its type, and the server checks them
    const made = await answerOf(
      this.api.POST('/api/sandboxes/{id}/delivery-rules', { params: { path }, body: body as never }),
    );
    const params = { path: { ...path, rule: made.id } };
    return new Removable(made.id, () => this.api.DELETE('/api/sandboxes/{id}/delivery-rules/{rule}', { params }));
  }

  /** Releases held deliveries and stops holding, unless `keepHolding`. Returns how many were released. */
  async release(options: ReleaseOptions = {}): Promise<number> {
    const { order = 'as_is', ids, target, count, randomSeed, keepHolding = false } = options;
    if (!keepHolding) for (const rule of this.holds.splice(0)) await rule.remove();
    const body = given({ order, ids, target, count, random_seed: randomSeed });
    const params = { path: this.path };
    const { released } = await answerOf(this.api.POST('/api/sandboxes/{id}/deliveries/release', { params, body }));
    return released;
  }

  /** Sends now what is due or waiting for a retry, and resolves when that is done. */
  async flush(options: { timeoutMs?: number } = {}): Promise<void> {
    const body = given({ timeout_ms: options.timeoutMs });
    await this.api.POST('/api/sandboxes/{id}/deliveries/flush', { params: { path: this.path }, body });
  }

  /** Sends a delivery again, with the same event id. */
  async redeliver(id: string): Promise<void> {
    const params = { path: { ...this.path, delivery: id } };
    await this.api.POST('/api/sandboxes/{id}/deliveries/{delivery}/redeliver', { params });
  }

  /** The newest deliveries with their attempts. */
  async list(query: { state?: string; target?: string; event?: string; limit?: number } = {}) {
    const params = { path: this.path, query: { order: 'desc', ...query } as const };
    return (await answerOf(this.api.GET('/api/sandboxes/{id}/deliveries', { params }))).deliveries;
  }
}

export type Delivery = Awaited<ReturnType<Deliveries['list']>>[number];

export interface ReleaseOptions {
  order?: 'as_is' | 'reversed' | 'shuffled';
  ids?: string[];
  target?: string;
  count?: number;
  randomSeed?: number;
  keepHolding?: boolean;
}

export interface ClockState {
  now: string;
  offset_ms: number;
  frozen: boolean;
}

/** The clock of a sandbox. */
export class SandboxClock {
  private readonly params: { path: { id: string } };

  /** @internal */
  constructor(
    private readonly api: Api,
    id: string,
  ) {
    this.params = { path: { id } };
  }

  get(): Promise<ClockState> {
    return answerOf(this.api.GET('/api/sandboxes/{id}/clock', { params: this.params }));
  }

  /** @param options.tickMs how far a frozen clock goes on with each answered call, in milliseconds */
  set(now: string | Date, { frozen, tickMs }: { frozen?: boolean; tickMs?: number } = {}): Promise<ClockState> {
    const body = {
      now: typeof now === 'string' ? now : now.toISOString(),
      ...(frozen !== undefined && { frozen }),
      ...(tickMs !== undefined && { tick_ms: tickMs }),
    };
    return answerOf(this.api.PUT('/api/sandboxes/{id}/clock', { params: this.params, body }));
  }

  freeze(): Promise<ClockState> {
    return answerOf(this.api.PUT('/api/sandboxes/{id}/clock', { params: this.params, body: { frozen: true } }));
  }

  /** Advances the clock by `'1h30m'` or seconds. Resolves when everything that became due has happened. */
  advance(by: string | number): Promise<ClockState> {
    const body = typeof by === 'number' ? { seconds: by } : { by };
    return answerOf(this.api.POST('/api/sandboxes/{id}/clock/advance', { params: this.params, body }));
  }

  /** Returns to real time. */
  reset(): Promise<ClockState> {
    return answerOf(this.api.DELETE('/api/sandboxes/{id}/clock', { params: this.params }));
  }
}
