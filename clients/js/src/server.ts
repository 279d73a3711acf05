import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './errors.js';
import { Removable } from './control.js';
import { answerOf, apiOf, given, type Api } from './http.js';
import { Sandbox } from './sandbox.js';
import type { Credentials, SeedDocument } from './types.js';

/** How long the creation of a sandbox waits for a busy server, and how long between two tries, in milliseconds. */
const BUSY_FOR_MS = 30_000;
const AGAIN_AFTER_MS = 1_000;

export interface ConnectOptions {
  /** The server's URL, such as `https://understudy.staging`. */
  url: string;
  /** The credential for `/api/sandboxes`: the server's `SVC_ADMIN_TOKEN` or a named admin token. */
  adminToken?: string;
  /** Keep a sandbox after a failed wait or assertion, for inspection. Default: true. */
  keepOnFailure?: boolean;
}

export interface StartOptions {
  /** Settings of the server, such as `{ SVC_MODE: 'full' }`. */
  env?: Record<string, string>;
  /** `memory` (default) or a folder. */
  data?: string;
  /** A seed document for the default workspace. */
  seed?: string;
  mode?: 'api' | 'full';
  methods?: 'core' | 'all';
  /** How long the start may take, in milliseconds. Default: 60,000. */
  timeoutMs?: number;
  keepOnFailure?: boolean;
}

export interface PoolOptions {
  name: string;
  /** The id of a snapshot. */
  from: string;
  /** How many are kept ready, at most 2,000. */
  size: number;
  /** Whether another one is made for each that is claimed. Default: true. */
  refill?: boolean;
  /** Of a claimed sandbox; null: it does not end. */
  ttlSeconds?: number | null;
  urls?: 'server' | 'vendor';
  /** `own`: all have the ids of the snapshot, each for itself. Default: `own`. */
  idSpace?: 'server' | 'own';
  /** The same calls have the same answers in each: needs ids of their own and a frozen clock. */
  deterministic?: boolean;
}

export interface ClaimOptions {
  name?: string;
  labels?: Record<string, string>;
  ttlSeconds?: number | null;
}

/** Sandboxes that are ready before they are needed; `await using` removes what nobody has claimed. */
export class Pool extends Removable {
  /** @internal */
  constructor(
    private readonly server: Server,
    private readonly api: Api,
    id: string,
    readonly name: string,
  ) {
    super(id, () => api.DELETE('/api/pools/{pool}', { params: { path: { pool: id } } }));
  }

  claim(options: ClaimOptions = {}): Promise<Sandbox> {
    return this.server.claim(this.id, options);
  }

  /** How many are ready, still to be made, and claimed. */
  state() {
    return answerOf(this.api.GET('/api/pools/{pool}', { params: { path: { pool: this.id } } }));
  }

  async change(changes: { size?: number; refill?: boolean }): Promise<void> {
    await answerOf(this.api.PATCH('/api/pools/{pool}', { params: { path: { pool: this.id } }, body: changes }));
  }
}

/** A running server. */
export class Server {
  /** Without a final slash. */
  readonly url: string;
  private readonly api: Api;

  /** @internal `connect` and `startUnderstudy` make them. */
  constructor(
    private readonly options: ConnectOptions,
    private readonly child?: ChildProcess,
  ) {
    const { url, adminToken } = options;
    this.url = url.replace(/\/+$/, '');
    this.api = apiOf(this.url, adminToken === undefined ? {} : { 'x-admin-token': adminToken });
  }

  get adminToken(): string | undefined {
    return this.options.adminToken;
  }

  /**
   * Makes a sandbox: a workspace and an organization of the tracker, isolated from all others. Unless the document says
   * otherwise, `missing_scope` has status 200 there as at Slack: the official client repeats a 403 for half an hour.
   * While the server is busy (503), as when all workers of a suite begin at once, it asks again for up to 30 seconds.
   */
  async createSandbox(document: SeedDocument = {}): Promise<Sandbox> {
    // the server checks the document and names each fault by its path
    return this.open({ missing_scope_status: 200, ...document });
  }

  /** Keeps copies of a snapshot ready: a claim takes milliseconds, and another one is made behind it. */
  async createPool({ ttlSeconds, idSpace, ...options }: PoolOptions): Promise<Pool> {
    const body = given({ ...options, ttl_seconds: ttlSeconds, id_space: idSpace }) as never;
    const { id } = await answerOf(this.api.POST('/api/pools', { body }));
    return new Pool(this, this.api, id, options.name);
  }

  /**
   * Takes a sandbox that is ready in a pool, by its name or id, or a new one where none is. `missing_scope` has status
   * 200 there as in those of `createSandbox`.
   */
  async claim(pool: string, { name, labels, ttlSeconds }: ClaimOptions = {}): Promise<Sandbox> {
    const sandbox = await this.open(given({ pool, name, labels, ttl_seconds: ttlSeconds }));
    const params = { path: { id: sandbox.id } };
    await answerOf(this.api.PATCH('/api/sandboxes/{id}', { params, body: { missing_scope_status: 200 } }));
    return sandbox;
  }

  private async open(body: object): Promise<Sandbox> {
    const make = () => answerOf(this.api.POST('/api/sandboxes', { body: body as never }));
    const { id, team_id, credentials, urls } = await whileBusy(make);
    return new Sandbox(this.url, id, team_id, credentials as Credentials, this.options.keepOnFailure ?? true, urls);
  }

  /** Stops a server that `startUnderstudy` started; does nothing to one that is only connected to. */
  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    // unref'd, so it does not keep this process alive; it must while `stop` waits for its end
    child.ref();
    child.kill('SIGTERM');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Makes a call again while the server answers that it is busy. */
async function whileBusy<T>(call: () => Promise<T>): Promise<T> {
  const end = performance.now() + BUSY_FOR_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof ApiError && error.status === 503;
      if (!isBusy || performance.now() > end) throw error;
      await sleep(AGAIN_AFTER_MS);
    }
  }
}

/** Connects to a running server, without a request yet. */
export function connect(options: ConnectOptions): Server {
  return new Server(options);
}

const PROGRAM = fileURLToPath(new URL('../../../bin/understudy.mjs', import.meta.url));

/**
 * Starts a server as a child process on a free port, with its data in memory. It ends with `stop`, with the scope of an
 * `await using`, and with this process, however that ends.
 * @throws Error with the server's output when it does not start
 */
export async function startUnderstudy(options: StartOptions = {}): Promise<Server> {
  const { env = {}, data = 'memory', seed, mode, methods, timeoutMs = 60_000, keepOnFailure } = options;
  const adminToken = randomBytes(20).toString('hex');
  const flags = ['--port', '0', '--data', data, '--quiet', '--until-stdin-ends'];
  if (seed !== undefined) flags.push('--seed', seed);
  if (mode !== undefined) flags.push('--mode', mode);
  if (methods !== undefined) flags.push('--methods', methods);
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
  const child = spawn(process.execPath, [PROGRAM, 'start', ...flags], {
    env: { ...inherited, SVC_ADMIN_TOKEN: adminToken, SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info', ...env },
    // it ends with the pipe to it, so also when this process is killed
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const url = await baseOf(child, timeoutMs).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  // a child that was never stopped must not keep a test runner alive
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref?: () => void }).unref?.();
  return new Server({ url, adminToken, ...(keepOnFailure === undefined ? {} : { keepOnFailure }) }, child);
}

/** The shell's own settings are meant for another server. */
const isSetting = (name: string): boolean => name.startsWith('SVC_') || ['PORT', 'HOST', 'DATABASE_URL'].includes(name);

/** The base URL, from the server's log. */
function baseOf(child: ChildProcess, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (what: string): void => reject(new Error([`understudy ${what}`, ...said.slice(-20)].join('\n  ')));
    const timer = setTimeout(() => fail(`did not start within ${timeoutMs} ms`), timeoutMs);
    const read = (line: string): void => {
      said.push(line);
      if (said.length > 100) said.shift();
      const base = baseIn(line);
      if (base === undefined) return;
      clearTimeout(timer);
      resolve(base);
    };
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', read);
    child.once('error', (error) => fail(`cannot be run: ${error.message}`));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
  });
}

function baseIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { base } = JSON.parse(line) as { base?: string };
    return base;
  } catch {
    return undefined;
  }
}
