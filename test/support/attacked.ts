import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { barOf, type Seen } from '../../bench/neighbour.mjs';
import { createDatabase, serverUrl } from './databases.js';
import { ensureBuilt, ServerProcess } from './server-process.js';

const OPERATOR = 'operator-of-the-tests';
const CALLER = fileURLToPath(new URL('../../bench/neighbour.mjs', import.meta.url));

/** The neighbour asks at least this long: 120 calls, so that its p99 is not its slowest. */
const LEAST_MS = 4_000;
/** An attack is repeated when it missed a bar: what it causes shows each time, a stall of a shared machine does not. */
const TRIES = 3;

/** A request: headers and method as for `fetch`, and a body that is sent as it is, or as JSON. */
export interface Request extends Omit<RequestInit, 'body'> {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** An answer; one that is not JSON is a text. */
export interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read deep into answers
  readonly body: any;
}

/** A sandbox of the attacked server, with its credentials as headers. */
export interface Tenant {
  readonly id: string;
  readonly teamId: string;
  readonly control: { 'x-sandbox-token': string };
  readonly bot: { authorization: string };
  readonly user: { authorization: string };
  readonly key: { authorization: string };
  /** The ids of its channels by name. */
  readonly channels: Record<string, string>;
}

/** A server in a process of its own, and beside it a neighbour whose calls come from another one. */
export class Attacked {
  private constructor(
    private readonly server: ServerProcess,
    private readonly caller: ChildProcess,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async start(env: Record<string, string>): Promise<Attacked> {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    const server = await ServerProcess.start({
      SVC_LOG_LEVEL: 'info',
      SVC_ADMIN_TOKEN: OPERATOR,
      SVC_METHODS: 'all',
      // raised, not off: the limits do their work and refuse nobody
      SVC_RATE_LIMIT_MULTIPLIER: '10000000',
      SVC_TRACKER_REQUESTS_PER_HOUR: '1000000000',
      SVC_TRACKER_COMPLEXITY_PER_HOUR: '1000000000000',
      ...(database === undefined ? { SVC_DATA_DIR: 'memory' } : { DATABASE_URL: database.url }),
      ...env,
    });
    return new Attacked(server, fork(CALLER), async () => database?.drop());
  }

  get url(): string {
    return this.server.baseUrl;
  }

  get pid(): number {
    return this.server.running.child.pid as number;
  }

  /** The credential of operators, as headers. */
  readonly operator = { 'x-admin-token': OPERATOR };

  async send(path: string, { body, ...init }: Request = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : undefined;
    const began = performance.now();
    const response = await fetch(`${this.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...init,
      headers: {
        ...(body === undefined || raw !== undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    });
    const text = await response.text();
    const ms = performance.now() - began;
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const { status, headers } = response;
    return { status, ms, headers, body: isJson && text !== '' ? JSON.parse(text) : text };
  }

  async sandbox(document: object = {}): Promise<Tenant> {
    const { status, body } = await this.send('/api/sandboxes', { headers: this.operator, body: document });
    if (status !== 201) throw new Error(JSON.stringify(body));
    const { credentials } = body;
    const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });
    const bot = bearer(credentials.bot_token);
    const listed = await this.send('/api/conversations.list', { headers: bot, body: { limit: 1000 } });
    const channels = listed.body.channels as { id: string; name: string }[];
    return {
      id: body.id,
      teamId: body.team_id,
      control: { 'x-sandbox-token': credentials.control_token },
      bot,
      user: bearer(credentials.user_token),
      key: { authorization: credentials.api_key },
      channels: Object.fromEntries(channels.map(({ id, name }) => [name, id])),
    };
  }

  /**
   * Runs the attack beside the neighbour's calls: its p99 stays below docs/reference/safety.md's bar, every answer is
   * 200, and the server grows by at most `mib`. `attack` hears how often it ran before.
   */
  async neighbourIsServed(attack: (round: number) => Promise<unknown>, { mib = 256 } = {}): Promise<void> {
    const neighbour = await this.neighbour();
    const all: { bar: number; quiet: Seen; during: Seen }[] = [];
    const isMet = ({ bar, during }: (typeof all)[number]): boolean =>
      during.p99 <= bar && during.refused === 0 && during.grownMib <= mib;
    for (let round = 0; round < TRIES && !all.some(isMet); round++) {
      const quiet = await this.asked(neighbour, () => Promise.resolve());
      // where the machine alone makes a quiet neighbour wait as long as the bar allows, it says nothing of an attack
      const bar = Math.max(barOf(quiet), 2 * quiet.p99);
      all.push({ bar, quiet, during: await this.asked(neighbour, () => attack(round)) });
    }
    expect(all.some(isMet), JSON.stringify({ mib, all })).toBe(true);
  }

  async stop(): Promise<void> {
    const ended = once(this.caller, 'exit');
    this.caller.disconnect();
    await ended;
    await this.server.kill('SIGTERM');
    await this.dropDatabase();
  }

  private neighbours: Promise<Tenant> | undefined;
  private neighbour(): Promise<Tenant> {
    return (this.neighbours ??= this.sandbox({ name: 'neighbour' }));
  }

  private async asked(neighbour: Tenant, attack: () => Promise<unknown>): Promise<Seen> {
    const { bot, key, channels } = neighbour;
    const tenant = { bot: bot.authorization, key: key.authorization, channels: [channels['general']] };
    const seen = once(this.caller, 'message') as Promise<[Seen]>;
    this.caller.send({ begin: { url: this.url, tenant, pid: this.pid } });
    try {
      await Promise.all([attack(), sleep(LEAST_MS)]);
    } finally {
      this.caller.send({ end: true });
      await seen;
    }
    return (await seen)[0];
  }
}

/** The attacked server of a spec file. The result may be used inside tests and hooks only. */
export function useAttacked(env: Record<string, string> = {}): Attacked {
  let attacked: Attacked | undefined;
  beforeAll(async () => {
    ensureBuilt();
    attacked = await Attacked.start(env);
  }, 300_000);
  afterAll(() => attacked?.stop());
  return new Proxy({} as Attacked, {
    get(_target, property) {
      if (!attacked) throw new Error('the server is there inside tests and hooks only');
      const value = Reflect.get(attacked, property, attacked) as unknown;
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(attacked) : value;
    },
  });
}
