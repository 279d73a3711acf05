// The server with its embedded database, as it starts by default: with a journal of every call and without.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idleMemory, medians, round } from './measure.mjs';
import { machine, number, report, table, withNode } from './report.mjs';
import { provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SECONDS = quick ? 1 : 2;
const CHANNELS = 50;
const SERVER = 'dist/server/main.js';
const EMOJI = ['tada', 'eyes', 'rocket', 'heart', 'wave', 'fire', 'clap', 'pray', 'bug', 'zap', 'star', 'cake'];

/** `target`: calls a second. */
const SCENARIOS = [
  { name: 'auth.test', request: (t) => () => t.call('auth.test', {}) },
  { name: 'users.list of 30', request: (t) => () => t.call('users.list', {}) },
  {
    name: 'history(100) of 1k',
    target: 1500,
    request: (t) => () => t.call('conversations.history', { channel: t.channels[0], limit: 100 }),
  },
  {
    name: 'postMessage',
    target: 3000,
    request: (t) => (at) =>
      t.call('chat.postMessage', { channel: t.channels[1 + (at.n % (CHANNELS - 1))], text: `message ${at.n}` }),
  },
  {
    name: 'reactions.add',
    target: 2000,
    // message after message, then the next emoji, so that no reaction exists already
    request: (t) => () => {
      const place = t.next++;
      const name = EMOJI[Math.floor(place / t.stamps.length) % EMOJI.length];
      return t.call('reactions.add', { channel: t.channels[0], timestamp: t.stamps[place % t.stamps.length], name });
    },
    accepted: (body) => body.startsWith('{"ok":true') || body.includes('already_reacted'),
  },
];

/** Starts a server with a workspace whose first channel has 1,000 messages. */
async function begin(journal) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  const server = await start(SERVER, { DATABASE_URL: '', SVC_DATA_DIR: folder, SVC_JOURNAL: journal });
  const made = await provision(server.url, {
    team: { name: 'Bench' },
    users: Array.from({ length: 30 }, (_, i) => ({ name: `user${i}` })),
    channels: Array.from({ length: CHANNELS }, (_, i) => ({ name: `bench-${i}` })),
  });
  const headers = { authorization: `Bearer ${made.bot_token}`, 'content-type': 'application/json' };
  const call = (method, body) => ({ path: `/api/${method}`, headers, body });
  const channels = made.channels.map(({ id }) => id);
  const stamps = [];
  for (let n = 0; n < 1000; n += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const body = JSON.stringify({ channel: channels[0], text: `message ${n + i} of the bench` });
        const answer = await fetch(`${server.url}/api/chat.postMessage`, { method: 'POST', headers, body });
        stamps.push((await answer.json()).ts);
      }),
    );
  }
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, call, channels, stamps, next: 0, stop };
}

async function startFigures() {
  const starts = [];
  let memory = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
    const env = { DATABASE_URL: '', SVC_DATA_DIR: join(folder, 'data') };
    const first = await start(SERVER, env);
    await first.stop();
    const again = await start(SERVER, env);
    if (i === 0) memory = await idleMemory(again.pid);
    await again.stop();
    rmSync(folder, { recursive: true, force: true });
    starts.push({ first: first.startMs, warm: again.startMs });
  }
  return { memory, ...medians(starts) };
}

const judged = (value, target, isMet) => (target === undefined ? '–' : `${number(target)} ${isMet ? 'met' : 'missed'}`);

export async function embedded() {
  const starts = await startFigures();
  const variants = [await begin('all'), await begin('off')];
  const rows = [];
  try {
    for (const { name, target, request, accepted } of SCENARIOS) {
      // what the journal writes after the calls counts
      const options = { connections: 32, restMs: 1000, ...(accepted ? { accepted } : {}) };
      const rounds = variants.map(() => []);
      for (const t of variants) await round(t.server, { ...options, seconds: 1, request: request(t) });
      for (let i = 0; i < ROUNDS; i++) {
        for (const [at, t] of variants.entries())
          rounds[at].push(await round(t.server, { ...options, seconds: SECONDS, request: request(t) }));
      }
      const [kept, off] = rounds.map(medians);
      rows.push([
        name,
        ...[kept, off].flatMap((m) => [number(m.rate), number(m.p99), number(m.treeMicros)]),
        number(kept.treeMicros / off.treeMicros),
        judged(kept.rate, target, kept.rate >= target),
      ]);
      console.error(rows.at(-1).join(' | '));
    }
  } finally {
    for (const t of variants) await t.stop();
  }
  const bars = [
    ['idle memory, MB', starts.memory, 200],
    ['first start, ms', starts.first, 1500],
    ['warm start, ms', starts.warm, 1000],
  ];
  report(
    withNode('Chat on the embedded database'),
    `${machine()}; 32 connections, medians of ${ROUNDS} rounds of ${SECONDS} s, with a journal of every call and without by turns. CPU is that of the server and its database together, in µs a call.\n\n\`npm run bench -- embedded --write\`\n\n` +
      table(
        ['', 'calls/s', 'p99 ms', 'CPU', 'without: calls/s', 'p99 ms', 'CPU', 'CPU with / without', 'target'],
        rows,
      ) +
      `\n\n` +
      table(
        ['', '', 'target'],
        bars.map(([name, value, bar]) => [name, number(value), judged(value, bar, value <= bar)]),
      ),
  );
}
