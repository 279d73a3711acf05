// A minute of mixed load over two replicas: what fails, how long calls take, and whether memory stays flat.
import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import pg from 'pg';
import { io } from 'socket.io-client';
import { withDatabase } from './database.mjs';
import { machine, number, report, table } from './report.mjs';
import { provision, start } from './servers.mjs';

const SECONDS = process.argv.includes('--quick') ? 10 : 60;
const WARM_SECONDS = 5;
const CALLERS = 24;
const CHANNELS = 20;
const SOCKETS = 4;
/** A call's p99 may be so many times its p50. */
const TAIL = 4;

/** Resident memory of a process, in MB. */
const residentMb = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pick = (list) => list[Math.floor(Math.random() * list.length)];

const agent = new Agent({ keepAlive: true, maxSockets: CALLERS * 2 });

/** Resolves with status and text; rejects when the connection fails. */
function post(base, { path, authorization, body }) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const call = request(`${base}${path}`, {
      method: 'POST',
      agent,
      headers: { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    });
    call.on('error', reject);
    call.on('response', (answer) => {
      let got = '';
      answer.setEncoding('utf8').on('data', (chunk) => (got += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text: got }));
    });
    call.end(text);
  });
}

/** The calls by weight (out of 100), and what they send. */
function kinds(made, teamId) {
  const channels = made.channels.map(({ id }) => id);
  const rpc = (method, body) => ({ path: `/api/${method}`, authorization: `Bearer ${made.bot_token}`, body });
  const graphql = (query, variables) => ({
    path: '/graphql',
    authorization: made.tracker.api_key,
    body: { query, variables },
  });
  const posted = [];
  return [
    {
      name: 'chat.postMessage',
      share: 40,
      make: () => rpc('chat.postMessage', { channel: pick(channels), text: 'a message of the load' }),
      after: ({ channel, ts }) => void (posted[Math.floor(Math.random() * 1000)] = { channel, timestamp: ts }),
    },
    {
      name: 'conversations.history',
      share: 25,
      make: () => rpc('conversations.history', { channel: pick(channels), limit: 50 }),
    },
    {
      name: 'reactions.add',
      share: 10,
      make: () => {
        const known = posted.filter(Boolean);
        return known.length > 0 ? rpc('reactions.add', { ...pick(known), name: 'tada' }) : rpc('auth.test', {});
      },
      accepted: (answer) => answer.ok || answer.error === 'already_reacted',
    },
    { name: 'users.list', share: 5, make: () => rpc('users.list', {}) },
    {
      name: 'issues(first: 20)',
      share: 10,
      make: () => graphql('{ issues(first: 20) { nodes { id title state { name } labels { nodes { name } } } } }'),
    },
    {
      name: 'issueCreate',
      share: 10,
      make: () =>
        graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }', {
          input: { teamId, title: 'an issue of the load' },
        }),
    },
  ].map((kind) => ({ ...kind, times: [], errors: 0 }));
}

async function firstTeam(url, authorization) {
  const { text } = await post(url, { path: '/graphql', authorization, body: { query: '{ teams { nodes { id } } }' } });
  return JSON.parse(text).data.teams.nodes[0].id;
}

const isFine = (answer) => answer.ok === true || (answer.data !== undefined && answer.errors === undefined);

async function caller(servers, all, isOver, isMeasured, failures) {
  const drawn = all.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
  for (let turn = 0; !isOver(); turn++) {
    const kind = pick(drawn);
    const measured = isMeasured();
    const sent = performance.now();
    let why;
    try {
      const { status, text } = await post(servers[turn % servers.length].url, kind.make());
      const answer = JSON.parse(text);
      if (status !== 200 || !(kind.accepted ?? isFine)(answer)) why = `${status} ${text.slice(0, 200)}`;
      else kind.after?.(answer);
    } catch (error) {
      why = error.message;
    }
    if (!measured) continue;
    kind.times.push(performance.now() - sent);
    if (why === undefined) continue;
    kind.errors++;
    failures.push(`${kind.name}: ${why}`);
  }
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

export async function load() {
  await withDatabase(async (databaseUrl) => {
    const servers = [
      await start('dist/server/main.js', { DATABASE_URL: databaseUrl }),
      await start('dist/server/main.js', { DATABASE_URL: databaseUrl }),
    ];
    const made = await provision(servers[0].url, {
      team: { name: 'Load' },
      channels: Array.from({ length: CHANNELS }, (_, i) => ({ name: `load-${i}` })),
    });
    let delivered = 0;
    const target = createServer((incoming, reply) => {
      delivered++;
      incoming.resume();
      reply.end();
    });
    await new Promise((resolve) => target.listen(0, '127.0.0.1', resolve));
    const subscribed = await post(servers[0].url, {
      path: '/api/webhooks/outgoing',
      authorization: `Bearer ${made.user_token}`,
      body: { url: `http://127.0.0.1:${target.address().port}/`, events: ['message'] },
    });
    if (subscribed.status !== 201) throw new Error(subscribed.text);
    let heard = 0;
    const sockets = Array.from({ length: SOCKETS }, (_, i) => {
      const socket = io(servers[i % 2].url, { auth: { token: made.bot_token }, transports: ['websocket'] });
      socket.on('message', () => heard++);
      return socket;
    });

    const all = kinds(made, await firstTeam(servers[0].url, made.tracker.api_key));
    const failures = [];
    let measuring = false;
    let over = false;
    const callers = Array.from({ length: CALLERS }, () =>
      caller(
        servers,
        all,
        () => over,
        () => measuring,
        failures,
      ),
    );
    await sleep(WARM_SECONDS * 1000);
    measuring = true;
    const before = servers.map(({ pid }) => residentMb(pid));
    const begun = performance.now();
    const half = [];
    await sleep(SECONDS * 500);
    half.push(...servers.map(({ pid }) => residentMb(pid)));
    await sleep(SECONDS * 500);
    const seconds = (performance.now() - begun) / 1000;
    const after = servers.map(({ pid }) => residentMb(pid));
    over = true;
    await Promise.all(callers);

    const left = await drained(databaseUrl);
    const later = servers.map(({ pid }) => residentMb(pid));
    for (const socket of sockets) socket.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
    target.closeAllConnections();
    target.close();
    agent.destroy();

    for (const failure of failures.slice(0, 10)) console.error(failure);
    const calls = all.reduce((sum, { times }) => sum + times.length, 0);
    const megabytes = (list) => list.map((mb) => number(mb)).join(' and ');
    report(
      'A minute of everything',
      `${machine()}; two replicas on one PostgreSQL, ${CALLERS} callers for ${SECONDS} s after ${WARM_SECONDS} s of warming up, the load beside them on the same cores; ${SOCKETS} sockets and one webhook target listen.\n\n\`DATABASE_URL=… npm run bench -- load --write\`\n\n` +
        table(
          ['', 'calls', 'errors', 'p50 ms', 'p99 ms', 'p99 / p50', 'target'],
          all.map(({ name, times, errors }) => {
            times.sort((a, b) => a - b);
            const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
            return [
              name,
              times.length.toLocaleString('en'),
              errors,
              number(p50),
              number(p99),
              (p99 / p50).toFixed(1),
              `${TAIL} ${p99 / p50 <= TAIL ? 'met' : 'missed'}`,
            ];
          }),
        ) +
        `\n\n${calls.toLocaleString('en')} calls (${number(calls / seconds)} a second), ${failures.length} errors. Resident memory of the replicas in MB: ${megabytes(before)} when warm, ${megabytes(half)} halfway, ${megabytes(after)} at the end, ${megabytes(later)} when the queue was empty again. ${delivered.toLocaleString('en')} deliveries (${left} left), ${heard.toLocaleString('en')} events on sockets.`,
    );
    if (failures.length > 0) process.exitCode = 1;
  });
}

/** Waits until the queue is empty, 60 s at most; returns what is left. */
async function drained(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const until = performance.now() + 60_000; ;) {
      const { rows } = await client.query('SELECT count(*)::int AS n FROM deliveries');
      if (rows[0].n === 0 || performance.now() > until) return rows[0].n;
      await sleep(200);
    }
  } finally {
    await client.end();
  }
}
