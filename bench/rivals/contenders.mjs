// The servers compared: this one on both of its databases, and the public rival from npm, installed into a folder of
// its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idleMemory, round } from '../measure.mjs';
import { provision, start } from '../servers.mjs';

/** The release that was measured. */
export const RIVAL = 'emulate@0.12.2';

export const USERS = 30;
export const CHANNELS = 20;

const names = Array.from({ length: USERS }, (_, i) => `user${i}`);

/**
 * What a scenario needs from a server: `chat(method, body)` and `tracker(document, variables)` are requests for
 * `round`, and `stop` ends the server and removes its files.
 * @param token a function: the token of the next call; likewise key
 */
function contender(name, server, { token, key, graphql, team, stop }) {
  const chat = (method, body) => ({ path: `/api/${method}`, headers: { authorization: `Bearer ${token()}` }, body });
  const tracker = (query, variables) => ({
    path: '/graphql',
    headers: { authorization: key() },
    body: { query, variables },
  });
  return { name, server, tracked: { ...server, url: graphql }, chat, tracker, team, stop, stamps: [] };
}

/** The answer to one request, outside of the measurement. */
export async function ask(server, { path, headers, body }) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** This server, on the embedded database or on PostgreSQL. */
export async function ours(name, databaseUrl) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-rivals-'));
  const server = await start('dist/server/main.js', { DATABASE_URL: databaseUrl, SVC_DATA_DIR: join(folder, 'data') });
  const idle = await idleMemory(server.pid);
  const made = await provision(server.url, { team: { name: 'Bench' }, users: names.map((user) => ({ name: user })) });
  const { bot_token: token, tracker } = made;
  const teams = await ask(server, {
    path: '/graphql',
    headers: { authorization: tracker.api_key },
    body: { query: '{ teams { nodes { id } } }' },
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const team = teams.data.teams.nodes[0].id;
  return {
    ...contender(name, server, { token: () => token, key: () => tracker.api_key, graphql: server.url, team, stop }),
    idle,
  };
}

/** The rival accepts any token and allows each 5,000 calls an hour; no token is used for more than that. */
let made = 0;
const anyToken = () => `xoxb-any-${Math.floor(made++ / 4000)}`;

/** The rival, which keeps everything in memory. Null when this Node is too old for it. */
export async function rival() {
  if (!('registerHooks' in nodeModule)) {
    console.error(`${RIVAL} wants Node 22.15 or newer; this is ${process.version}: it is left out`);
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'understudy-rivals-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', RIVAL], { cwd: folder, stdio: 'inherit' });
  const seed = {
    slack: {
      team: { name: 'Bench', domain: 'bench' },
      users: names.map((user) => ({ name: user, email: `${user}@bench.example` })),
    },
    linear: {
      users: [{ email: 'admin@bench.example', name: 'Admin', admin: true }],
      teams: [{ key: 'ENG', name: 'Engineering' }],
    },
  };
  // JSON is valid YAML
  writeFileSync(join(folder, 'seed.yaml'), JSON.stringify(seed));
  const server = await start(join(folder, 'node_modules/emulate/dist/index.js'), {}, [
    'start',
    '--service',
    'slack,linear',
    '--seed',
    join(folder, 'seed.yaml'),
  ]);
  const idle = await idleMemory(server.pid);
  // the services of one process listen on consecutive ports
  const { protocol, hostname, port } = new URL(server.url);
  const graphql = `${protocol}//${hostname}:${Number(port) + 1}`;
  const found = await ask(
    { url: graphql },
    { path: '/graphql', headers: { authorization: 'any' }, body: { query: '{ teams { nodes { id } } }' } },
  );
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const team = found.data.teams.nodes[0].id;
  return {
    ...contender(RIVAL.replace('@', ' '), server, { token: anyToken, key: anyToken, graphql, team, stop }),
    idle,
  };
}

/** Posts until a channel has this many messages, and keeps the newest timestamps. */
export async function fill(one, channel, count) {
  const missing = count - (one.filled ?? 0);
  const stamps = await inParallel(missing, async (n) => {
    const { ts, ok, error } = await ask(
      one.server,
      one.chat('chat.postMessage', { channel, text: `message ${n} of the bench` }),
    );
    if (!ok) throw new Error(`${one.name}: ${error}`);
    return ts;
  });
  one.filled = count;
  one.stamps = stamps.slice(-1000);
}

/** Calls `work` for 0 to `count` - 1, 32 at a time, and returns the results in order. */
export async function inParallel(count, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return results;
}

export const measured = (one, { tracker = false, connections = 32, request, seconds, accepted }) =>
  round(tracker ? one.tracked : one.server, { connections, seconds, request, ...(accepted ? { accepted } : {}) });
