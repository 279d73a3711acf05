import { setTimeout as sleep } from 'node:timers/promises';
import { newHex } from '../../src/kernel/ids/ids.js';
import { Caller, nameOf, type Tenant } from './caller.js';
import { AppUrls, Ear, Plug } from './ears.js';
import { causeFaults, outagesOf, type Fault, upgrade } from './faults.js';
import { type Client, COUNTED, Generator, isLong, type Weights, weightsFor } from './generator.js';
import type { Call, History } from './history.js';
import { Random } from './random.js';
import { OPERATOR, World } from './world.js';

export interface RunOptions {
  readonly seed: number;
  /** How long calls are made, in milliseconds. */
  readonly ms: number;
  readonly replicas?: number;
  readonly tenants?: number;
  /** People who call at the same time, of each tenant. */
  readonly clients?: number;
  readonly hasFaults?: boolean;
  /** The version that replicas have for the first third: a checkout that is built. */
  readonly before?: string | undefined;
  /** How often what is asked for. */
  readonly weights?: Weights;
  /** How often, from 0 to 1, only the very newest messages and issues are written to again. */
  readonly heat?: number;
  /** How often, from 0 to 1, all of a channel is read; the other reads are of the newest. */
  readonly whole?: number;
  /** Asked every few seconds with what was recorded so far: true ends the run at once. */
  readonly isEnough?: (history: History) => boolean;
  /** In which way the replicas are broken (preload-mutations.mjs). */
  readonly mutation?: string;
  /** SQL that this needs in the database. */
  readonly prepared?: string | undefined;
}

export interface Recorded {
  readonly history: History;
  readonly faults: readonly Fault[];
}

/** The messages below which agents answer. */
const threadOf = (n: number): string => `1700000000.${String(n + 1).padStart(6, '0')}`;
/** The size of the database's disk, if it has one of its own: its log, and twice the data of a run. */
const DISK_MIB = 800;
/** How long what is under way may take to settle after the last fault, in milliseconds. */
const SETTLE_MS = 120_000;
/** How often people ask for what is counted, so that most of it is refused and it is a small part of all calls. */
const COUNTED_MS = 500;
/** How often it is asked whether a run has recorded enough, in milliseconds. */
const LOOK_MS = 5_000;
/** How long people wait after an error of the server, as clients do; an outage is not for counting calls. */
const AFTER_UNKNOWN_MS = 1_000;
/** How long people wait for a message. */
const WAIT_MS = 3_000;
/** For each part of a run of this length a tenant has two channels and a thread of agents more, in milliseconds. */
const PART_MS = 10_000;

/** Records what clients ask for and get while faults happen: the seed decides both, the machine their order. */
export async function record({
  seed,
  ms,
  replicas = 3,
  tenants = 3,
  clients = isLong(ms) ? 32 : 8,
  hasFaults = true,
  weights = weightsFor(ms),
  heat = 0.5,
  whole = isLong(ms) ? 0.03 : 0.3,
  isEnough = () => false,
  mutation,
  prepared,
  before,
}: RunOptions): Promise<Recorded> {
  const began = performance.now();
  const now = (): number => performance.now() - began;
  const random = new Random(seed);
  const urls = new AppUrls(random.part(), now);
  const world = await World.start(replicas, random.part(), now, {
    mutation,
    before,
    // each takes some seconds to make, so that a run has one of them or none
    hasStandby: hasFaults && seed % 3 === 0,
    diskMiB: hasFaults && seed % 3 === 1 ? DISK_MIB : undefined,
    hasPooler: hasFaults && seed % 2 === 0,
  });
  const caller = new Caller(world.replica, now, pageSizes(random.part()));
  try {
    if (prepared !== undefined) await world.cluster.run(prepared);
    const url = await urls.start();
    const all: Tenant[] = [];
    const parts = Math.max(1, Math.round(ms / PART_MS));
    for (let n = 1; n <= tenants; n++) {
      // a delivery takes as much time as several calls
      const hasApps = n === 1 || !isLong(ms);
      all.push(await makeTenant(world, `t${n}`, clients, hasApps ? url : undefined, parts));
    }
    const ears = all.map((tenant) => new Ear(tenant, world.replica, now));
    for (const ear of ears) ear.listen();
    const told = all.filter(({ appToken }) => appToken !== '');
    const plugs = told.map((tenant) => new Plug(tenant, world.replica, random.part(), now));
    for (const plug of plugs) plug.connect();
    let isOver = false;
    const calls: Call[] = [];
    const faultsBy = random.part();
    const counted = await makeCounted(world);
    const working = [...all, counted].flatMap((tenant) => {
      // the first one is never reset: all that is acknowledged there stays
      const own = tenant === all[0] ? { ...weights, reset: 0, back: 0 } : weights;
      const generator = new Generator(random.part(), tenant, tenant.counted ? COUNTED : own, heat, whole);
      const owner = tenant.clients[0] as Client;
      return tenant.clients.map((client) => work(tenant, client, owner, generator));
    });
    async function work(tenant: Tenant, client: Client, owner: Client, generator: Generator): Promise<void> {
      while (!isOver) {
        if (world.replica() === undefined) {
          await sleep(100);
          continue;
        }
        const call = await caller.call(tenant, client, generator.next(client, owner));
        calls.push(call);
        generator.learn(call);
        if (call.outcome === 'unknown' || tenant.counted) await sleep(tenant.counted ? COUNTED_MS : AFTER_UNKNOWN_MS);
      }
    }
    const causing = hasFaults ? causeFaults(world, faultsBy, pauseFor(ms), now, () => isOver) : Promise.resolve([]);
    const upgrading = before === undefined ? [] : [upgrade(world, ms / 3, now)];
    const recorded = (): History => ({
      calls,
      sockets: ears.flatMap(({ logs }) => logs),
      deliveries: [...urls.deliveries, ...plugs.flatMap(({ deliveries }) => deliveries)],
      kills: world.kills,
      stalls: world.stalls,
      crashes: world.crashes,
    });
    const until = now() + ms;
    let isEnded = false;
    while (!isEnded && now() < until) {
      await sleep(Math.min(LOOK_MS, until - now()));
      isEnded = isEnough(recorded());
    }
    await Promise.all(upgrading);
    isOver = true;
    const faults = [...(await causing), ...(await Promise.all(upgrading))];
    await Promise.all(working);
    await world.settled();
    const isQuiet = !isEnded && (await settle(world, all, caller, calls));
    const quietAt = now();
    for (const ear of [...ears, ...plugs]) ear.stop();
    const outages = outagesOf(faults);
    return { history: { ...recorded(), outages, ...(isQuiet && { quietAt }) }, faults };
  } finally {
    await caller.end();
    await world.stop();
    await urls.stop();
  }
}

/** The shortest pause between faults, and how much longer it may be, in milliseconds: most of a long run is at full speed. */
const pauseFor = (ms: number): readonly [number, number] => (isLong(ms) ? [10_000, 12_000] : [500, 3_000]);

/** Mostly whole channels, sometimes many pages. */
const pageSizes = (random: Random) => (): number => (random.next() < 0.8 ? 999 : 15 + random.below(40));

/** Waits until nothing is under way, then everybody looks at everything once more. Whether it settled in time. */
async function settle(world: World, tenants: readonly Tenant[], caller: Caller, calls: Call[]): Promise<boolean> {
  const until = performance.now() + SETTLE_MS;
  const isIdle = async ({ id, controlToken }: Tenant): Promise<boolean> => {
    const answer = await post(
      `${world.replica()}/api/sandboxes/${id}/wait`,
      { 'x-sandbox-token': controlToken },
      {
        for: 'idle',
        timeout_ms: 5_000,
      },
    ).catch(() => ({ matched: false }));
    return answer.matched === true;
  };
  let isQuiet = true;
  for (const tenant of tenants) {
    let isIt = await isIdle(tenant);
    while (!isIt && performance.now() < until) {
      await sleep(200);
      isIt = await isIdle(tenant);
    }
    isQuiet &&= isIt;
    const [client] = tenant.clients as [Client];
    for (const channel of tenant.channels) {
      calls.push(await caller.call(tenant, client, { op: 'history', channel, token: client.token }));
    }
    calls.push(await caller.call(tenant, client, { op: 'issues' }));
    if (isIt) calls.push(await caller.call(tenant, client, { op: 'timeline', isWhole: true }));
  }
  return isQuiet;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely
async function post(url: string, headers: Record<string, string>, body: object): Promise<any> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely
async function makeSandbox(world: World, document: object): Promise<any> {
  for (let tries = 1; ; tries++) {
    const made = await post(`${world.replica()}/api/sandboxes`, { 'x-admin-token': OPERATOR }, document);
    if (made.credentials) return made;
    // a busy machine takes some time over the document
    if (tries === 5 || made.message !== 'service_unavailable') throw new Error(JSON.stringify(made));
    await sleep(1_000);
  }
}

/** @param url where its apps hear of messages; undefined: it has no apps that do */
async function makeTenant(
  world: World,
  name: string,
  people: number,
  url: string | undefined,
  parts: number,
): Promise<Tenant> {
  const users = Array.from({ length: people + 3 }, (_, n) => ({ name: `u${n}`, user_token: `xoxp-${newHex(24)}` }));
  const members = [...users.map((user) => user.name), ...(url === undefined ? [] : ['ears', 'plugs'])];
  const channels = Array.from({ length: 2 * parts }, (_, n) => nameOf(n));
  const threads = Array.from({ length: parts }, (_, n) => threadOf(n));
  const made = await makeSandbox(world, {
    name,
    rate_limit_multiplier: 0,
    users,
    channels: [
      ...channels.map((channel) => ({ name: channel, members })),
      { name: 'secret', is_private: true, members: ['u0'] },
      {
        name: 'agents',
        members: [...users.map((user) => user.name), 'agent'],
        messages: threads.map((ts) => ({ as: 'u0', text: 'Ask here', ts })),
      },
    ],
    apps: [
      ...(url === undefined ? [] : listening(name, url)),
      { name: 'agent', scopes: { bot: ['chat:write', 'channels:history'] } },
    ],
  });
  const { credentials } = made;
  const clients = users.map((user) => ({
    name: `${name} ${user.name}`,
    user: credentials.users[user.name].user_id as string,
    token: user.user_token,
  }));
  return {
    tenant: name,
    id: made.id,
    teamId: made.team_id ?? credentials.team_id,
    controlToken: credentials.control_token,
    appToken: credentials.apps.plugs?.app_token ?? '',
    agent: { channel: credentials.channels.agents, threads, token: credentials.apps.agent.bot_token },
    apiKey: credentials.api_key,
    clients: clients.slice(0, people),
    spare: clients.slice(people),
    channels: channels.map((channel) => credentials.channels[channel]),
    privateChannel: credentials.channels.secret,
    team: credentials.teams.ENG.id,
    waitMs: WAIT_MS,
  };
}

/** Apps that hear of messages: one at a URL, one on sockets. */
const listening = (tenant: string, url: string): object[] => [
  {
    name: 'ears',
    scopes: { bot: ['channels:history', 'channels:read'] },
    event_subscriptions: { request_url: `${url}/${tenant}`, events: ['message'] },
  },
  {
    name: 'plugs',
    manifest: {
      display_information: { name: 'plugs' },
      features: { bot_user: { display_name: 'plugs' } },
      oauth_config: { scopes: { bot: ['channels:history', 'channels:read'] } },
      settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.channels'] } },
    },
  },
];

/** A tenant of which the calls of one method are counted, at all replicas together. */
async function makeCounted(world: World): Promise<Tenant> {
  const users = [0, 1, 2].map((n) => ({ name: `u${n}`, user_token: `xoxp-${newHex(24)}` }));
  const document = { name: 'counted', rate_limit_multiplier: 1, users };
  const { id, credentials } = await makeSandbox(world, document);
  const clients = users.map(({ name, user_token: token }) => ({ name: `counted ${name}`, user: name, token }));
  return {
    tenant: 'counted',
    id,
    teamId: credentials.team_id,
    controlToken: credentials.control_token,
    apiKey: credentials.api_key,
    appToken: '',
    clients,
    spare: [],
    channels: [],
    privateChannel: '',
    waitMs: WAIT_MS,
    // Tier 2 (docs/reference/chat.md#rate-tiers)
    counted: { method: 'users.setPresence', limit: 20, windowMs: 60_000 },
  };
}
