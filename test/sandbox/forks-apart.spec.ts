import { createHmac } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { TestApp } from '../support/app.js';
import { serverUrl } from '../support/databases.js';
import { Listener } from '../support/listener.js';
import { eventually, receiver, type Received } from '../support/receiver.js';
import { twoReplicas } from '../support/replicas.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

/** How many forks are made at most, and for how long; `FORKS=1000` makes them all and takes its time. */
const ASKED = process.env['FORKS'];
const MOST = Number(ASKED ?? 1_000);
const MAKE_MS = ASKED === undefined ? 3_000 : 1_800_000;
/** Calls of each fork, and how many go on at once. */
const CALLS = 8;
const AT_ONCE = 16;
/** How many of them have sockets. */
const HEARD = 10;

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

interface Fork {
  readonly n: number;
  readonly made: Made;
  /** Stands in every text that is written in it. */
  readonly mark: string;
  /** What it has written. */
  readonly texts: string[];
  readonly issues: string[];
}

const MARK = /m(\d{4})x/g;

/** A generator of numbers from 0 to 1 that repeats itself. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Works on all things, so many at once. */
async function each<T>(things: readonly T[], atOnce: number, work: (thing: T) => Promise<void>): Promise<void> {
  const left = [...things];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let thing = left.shift(); thing !== undefined; thing = left.shift()) await work(thing);
    }),
  );
}

const servers = async (): Promise<TestApp[]> => {
  const env = { SVC_RATE_LIMIT_MULTIPLIER: '0' };
  if (serverUrl !== undefined) return twoReplicas(env);
  const one = await TestApp.start(env);
  onTestFinished(() => one.stop());
  return [one];
};

it(
  'never tells one fork of another, many forks and random calls over all replicas',
  { timeout: 2_400_000 },
  async () => {
    const apps = await servers();
    const appOf = (n: number): TestApp => apps[n % apps.length] as TestApp;
    const hook = await receiver();
    const source = (
      await makeSandbox(appOf(0), {
        clock: { now: '2026-03-01T09:00:00Z', frozen: true },
        users: [{ name: 'alice', is_admin: true }, 'bob'],
        apps: [
          {
            name: 'deploy-bot',
            scopes: { bot: ['chat:write', 'channels:history', 'channels:read', 'files:write', 'files:read'] },
            event_subscriptions: { request_url: hook.url, bot_events: ['message.channels'] },
          },
        ],
        channels: [{ name: 'ops', members: ['alice', 'bob', 'deploy-bot'], messages: [{ as: 'bob', text: 'hi' }] }],
        tracker: {
          teams: [{ key: 'ENG', issues: [{ title: 'One' }] }],
          webhooks: [{ url: hook.url, resource_types: ['Issue'] }],
        },
      })
    ).body;
    const taken = await send(
      appOf(0),
      'POST',
      '/api/sandboxes/self/snapshots',
      bearer(source.credentials.control_token),
      {},
    );
    const from = taken.body.id as string;

    const forks: Fork[] = [];
    const until = performance.now() + MAKE_MS;
    await each(
      Array.from({ length: MOST }, (_, n) => n),
      4,
      async (n) => {
        if (performance.now() > until) return;
        const { status, body } = await makeSandbox(appOf(n), {
          from,
          id_space: 'own',
          deterministic: n % 2 === 0,
          journal: true,
          ttl_seconds: 3_600,
        });
        expect(status).toBe(201);
        const mark = `m${String(n).padStart(4, '0')}x`;
        forks.push({ n, made: body, mark, texts: [], issues: [] });
      },
    );
    expect(forks.length).toBeGreaterThan(ASKED === undefined ? 10 : MOST - 1);

    /** Nothing but its own is in what a fork is told. */
    const check = ({ mark, n }: Fork, what: string, text: string): string => {
      const foreign = [...text.matchAll(MARK)].map(([found]) => found).filter((found) => found !== mark);
      if (foreign.length > 0)
        throw new Error(`fork ${n} is told of ${foreign.join(', ')} by ${what}: ${text.slice(0, 500)}`);
      return text;
    };
    const ask = async (fork: Fork, path: string, token: string, body?: object | string): Promise<Made> => {
      const response = await fetch(`${appOf(Math.floor(fork.n / 2) + fork.texts.length).baseUrl}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: token, ...(typeof body === 'object' && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = check(fork, path, await response.text());
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      return JSON.parse(text);
    };
    const { ops } = source.credentials.channels;
    const team = source.credentials.teams.ENG.id as string;
    const bot = ({ made }: Fork): string => `Bearer ${made.credentials.apps['deploy-bot'].bot_token}`;
    const person = ({ made }: Fork): string => `Bearer ${made.credentials.user_token}`;
    const call = (fork: Fork, method: string, args: object, token = bot(fork)): Promise<Made> =>
      ask(fork, `/api/${method}`, token, args);
    const query = (fork: Fork, text: string): Promise<Made> =>
      ask(fork, '/graphql', fork.made.credentials.api_key, { query: text });

    const listeners: { fork: Fork; listener: Listener }[] = [];
    for (const fork of forks.slice(0, HEARD)) {
      const listener = await Listener.connect(appOf(fork.n + 1), { token: fork.made.credentials.user_token });
      expect(await listener.socket.emitWithAck('subscribe', { channel: ops })).toEqual({ ok: true });
      listeners.push({ fork, listener });
    }

    /** The calls that a fork chooses from. */
    const kinds: ((fork: Fork, word: string) => Promise<unknown>)[] = [
      async (fork, word) => {
        fork.texts.push(word);
        await call(fork, 'chat.postMessage', { channel: ops, text: word });
      },
      async (fork, word) => {
        fork.texts.push(word);
        const { ts } = await call(fork, 'chat.postMessage', { channel: ops, text: word }, person(fork));
        await call(fork, 'chat.update', { channel: ops, ts, text: word }, person(fork));
      },
      async (fork, word) => {
        fork.issues.push(word);
        await query(fork, `mutation { issueCreate(input: { teamId: "${team}", title: "${word}" }) { issue { id } } }`);
      },
      async (fork, word) => {
        const slot = await call(fork, 'files.getUploadURLExternal', { filename: `${word}.txt`, length: word.length });
        await fetch(slot.upload_url, { method: 'POST', body: word });
        await call(fork, 'files.completeUploadExternal', { files: [{ id: slot.file_id, title: word }] });
        const { file } = await call(fork, 'files.info', { file: slot.file_id });
        const read = await fetch(file.url_private, { headers: { authorization: bot(fork) } });
        expect(check(fork, 'its file', await read.text())).toBe(word);
      },
      (fork) => call(fork, 'conversations.history', { channel: ops }),
      (fork) => call(fork, 'search.messages', { query: 'm0' }, person(fork)),
      (fork) => query(fork, '{ issues { nodes { id title } } }'),
      (fork) => ask(fork, '/api/sandboxes/self/timeline?limit=50', `Bearer ${fork.made.credentials.control_token}`),
    ];
    const random = randomOf(7);
    const steps = forks.flatMap((fork) =>
      Array.from({ length: CALLS }, (_, step) => ({
        fork,
        word: `${fork.mark} step ${step}`,
        kind: kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[number],
        at: random(),
      })),
    );
    steps.sort((a, b) => a.at - b.at);
    await each(steps, AT_ONCE, async ({ fork, word, kind }) => void (await kind(fork, word)));

    // each fork has what it has written, and nothing else
    await each(forks, AT_ONCE, async (fork) => {
      const { messages } = await call(fork, 'conversations.history', { channel: ops, limit: 100 });
      const written = messages.map(({ text }: Made) => text as string).filter((text: string) => text !== 'hi');
      expect(written.sort()).toEqual([...fork.texts].sort());
      const { data } = await query(fork, '{ issues(first: 100) { nodes { title } } }');
      const titles = data.issues.nodes
        .map(({ title }: Made) => title as string)
        .filter((title: string) => title !== 'One');
      expect(titles.sort()).toEqual([...fork.issues].sort());
      await ask(fork, '/api/sandboxes/self/timeline?limit=200', `Bearer ${fork.made.credentials.control_token}`);
      await ask(
        fork,
        '/api/sandboxes/self/state?document=true&ids=true',
        `Bearer ${fork.made.credentials.control_token}`,
      );
    });
    // what was delivered is signed by the fork that it is about
    const wanted = forks.reduce((sum, { texts, issues }) => sum + texts.length + issues.length, 0);
    await eventually(() => hook.received.filter(({ body }) => isNew(body)).length >= wanted, 'all deliveries', 120_000);
    const secrets = new Map(forks.map(({ mark, made }) => [mark, made.credentials.apps['deploy-bot'].signing_secret]));
    for (const one of hook.received) {
      const marks = new Set([...one.body.matchAll(MARK)].map(([mark]) => mark));
      expect(marks.size).toBeLessThanOrEqual(1);
      const [mark] = marks;
      if (mark === undefined || !one.body.includes('event_callback')) continue;
      expect(isSignedBy(one, secrets.get(mark) as string)).toBe(true);
    }
    for (const { fork, listener } of listeners) {
      await eventually(() => listener.of('message').length >= fork.texts.length, 'its messages');
      check(fork, 'its socket', JSON.stringify(listener.heard));
    }
    if (ASKED !== undefined)
      console.log(`${forks.length} forks, ${steps.length} steps, ${hook.received.length} deliveries`);
  },
);

/** The first news of what was written. */
const isNew = (body: string): boolean =>
  body.includes('"action":"create"') || (body.includes('event_callback') && !body.includes('message_changed'));

const isSignedBy = ({ headers, body }: Received, secret: string): boolean =>
  headers['x-slack-signature'] ===
  `v0=${createHmac('sha256', secret)
    .update(`v0:${String(headers['x-slack-request-timestamp'])}:${body}`)
    .digest('hex')}`;
