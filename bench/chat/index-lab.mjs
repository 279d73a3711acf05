// The chat product against the baseline on one PostgreSQL, in interleaved rounds.
import pg from 'pg';
import { withDatabase } from '../database.mjs';
import { medians, round } from '../measure.mjs';
import { machine, number, report, table, withNode } from '../report.mjs';
import { provision, start } from '../servers.mjs';
import { searchFigures } from './search.mjs';
import {
  analyseWhatIsFull,
  createBaselineTable,
  indexBaselineTable,
  seedMessages,
  seedOwn,
  seedThread,
} from './seed.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 5;
const SECONDS = 2;
// before that V8 compiles: with a second of it the first row of a kind of call was slower than those that followed
const WARM_UP_SECONDS = 1;
const MILLION = quick ? 20_000 : 1_000_000;
const CHANNELS = 200;

const SERVER = 'dist/server/main.js';

async function tenant(url) {
  const made = await provision(url, {
    team: { name: 'Bench' },
    users: Array.from({ length: 30 }, (_, i) => ({ name: `user${i}` })),
    channels: Array.from({ length: CHANNELS + 5 }, (_, i) => ({ name: `bench-${i}` })),
  });
  const auth = { authorization: `Bearer ${made.bot_token}` };
  const channels = made.channels.map((channel) => channel.id);
  return {
    workspace: made.team.id,
    bot: made.app.bot_user_id,
    users: made.users.map((user) => user.user_id),
    auth,
    posts: channels.slice(0, CHANNELS),
    small: channels[CHANNELS],
    middle: channels[CHANNELS + 1],
    large: channels[CHANNELS + 2],
    thread: channels[CHANNELS + 3],
    own: channels[CHANNELS + 4],
    botId: made.app.bot_id,
  };
}

const call = (t, method, body) => ({ path: `/api/${method}`, headers: t.auth, body });

/** name, connections, request, the figure that is `judged`; `rival`: the baseline implements it too. */
function scenarios(t) {
  const post = (channel) => (at) =>
    call(t, 'chat.postMessage', { channel: channel(at.n), text: `message ${at.n} of the bench` });
  const history = (channel) => () => call(t, 'conversations.history', { channel, limit: 100 });
  return [
    {
      name: 'postMessage, 200 channels',
      connections: 32,
      rival: true,
      target: 1.3,
      request: post((n) => t.posts[n % CHANNELS]),
    },
    {
      name: 'postMessage, one hot channel',
      connections: 32,
      rival: true,
      target: 2.5,
      request: post(() => t.posts[0]),
    },
    {
      name: 'postMessage, one connection',
      connections: 1,
      rival: true,
      target: 0.8,
      request: post((n) => t.posts[n % CHANNELS]),
    },
    { name: 'history(100) of 1k', connections: 32, rival: true, target: 1.3, request: history(t.small) },
    { name: 'history(100) of 100k', connections: 32, rival: true, target: 1.3, request: history(t.middle) },
    {
      name: `history(100) of ${number(MILLION)}`,
      connections: 32,
      rival: true,
      target: 1.3,
      request: history(t.large),
    },
    {
      name: 'replies(100)',
      connections: 32,
      request: () => call(t, 'conversations.replies', { channel: t.thread, ts: t.parent, limit: 100 }),
    },
    {
      name: 'reactions.add',
      connections: 32,
      rival: true,
      target: 1,
      // message after message over all rounds, then the next emoji, so that no reaction exists already
      request: () => {
        const place = t.next++;
        return call(t, 'reactions.add', {
          channel: t.middle,
          timestamp: t.stamps[place % t.stamps.length],
          name: EMOJI[Math.floor(place / t.stamps.length)],
        });
      },
    },
    {
      name: 'chat.update',
      connections: 32,
      rival: true,
      target: 1,
      request: () => {
        const place = t.next++;
        return call(t, 'chat.update', {
          channel: t.own,
          ts: t.ownStamps[place % t.ownStamps.length],
          text: `message ${place} of the bench, again`,
        });
      },
    },
    {
      name: 'conversations.join and leave',
      connections: 32,
      rival: true,
      target: 1,
      // leaves every channel, then joins every channel again, so that each call changes the membership
      request: () => {
        const place = t.next++;
        const method = Math.floor(place / t.posts.length) % 2 === 0 ? 'leave' : 'join';
        return call(t, `conversations.${method}`, { channel: t.posts[place % t.posts.length] });
      },
      accepted: () => true,
    },
    // twice what it was when the bar was set
    { name: 'users.list', connections: 32, callsTarget: 2232, request: () => call(t, 'users.list', {}) },
    { name: 'auth.test', connections: 32, rival: true, target: 1.3, request: () => call(t, 'auth.test', {}) },
  ];
}
const EMOJI = ['tada', 'eyes', 'rocket', 'heart', 'wave', 'fire', 'clap', 'pray', 'bug', 'zap'];

async function seed(databaseUrl, t, { baseline, sizes }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    if (baseline) await createBaselineTable(client);
    // building an index afterwards is faster than filling it row by row
    const { rows: indexes } = await client.query(
      `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'messages' AND indexdef LIKE '%USING gin%'`,
    );
    for (const { indexname } of indexes) await client.query(`DROP INDEX ${indexname}`);
    for (const name of baseline ? ['messages', 'bench_messages'] : ['messages']) {
      for (const [channel, count] of sizes) {
        await seedMessages(client, { table: name, channel, workspace: t.workspace, count, users: t.users, bot: t.bot });
      }
    }
    for (const { indexdef } of indexes) await client.query(indexdef);
    if (baseline) await indexBaselineTable(client);
    const parent = await seedThread(client, {
      channel: t.thread,
      workspace: t.workspace,
      count: 1000,
      user: t.users[0],
    });
    t.parent = `${Math.floor(parent / 1e6)}.${String(parent % 1e6).padStart(6, '0')}`;
    const { rows } = await client.query(
      `SELECT ts FROM messages WHERE conversation_id = $1 ORDER BY ts DESC LIMIT 50000`,
      [t.middle],
    );
    t.stamps = rows.map(({ ts }) => `${ts.slice(0, 10)}.${ts.slice(10)}`);
    if (baseline) {
      const own = await seedOwn(client, {
        channel: t.own,
        workspace: t.workspace,
        count: 5000,
        user: t.bot,
        bot: t.botId,
      });
      t.ownStamps = own.map((ts) => `${ts.slice(0, 10)}.${ts.slice(10)}`);
    }
    t.next = 0;
    await analyseWhatIsFull(client);
  } finally {
    await client.end();
  }
}

/** `target` is of the baseline's rate, `callsTarget` calls a second. */
function judged({ target, callsTarget }, rate, ratio) {
  if (callsTarget !== undefined) return `${number(callsTarget)}/s ${rate >= callsTarget ? 'met' : 'missed'}`;
  return target === undefined ? '–' : `${target} ${ratio >= target ? 'met' : 'missed'}`;
}

/** What a page costs the server and the database among so many messages, over what it costs among a thousand. */
function growth(histories) {
  const [few, , many] = histories.map(({ cpuMicros, postgresMicros }) => cpuMicros + postgresMicros);
  return `CPU of a history, server and database together, at ${number(MILLION)} messages over that at 1k: ${(many / few).toFixed(2)} (target 1.1: ${many / few <= 1.1 ? 'met' : 'missed'}).`;
}

const figures = (m) => [number(m.rate), number(m.p50), number(m.p99), number(m.cpuMicros)];

async function onPostgres(databaseUrl) {
  const ours = await start(SERVER, { DATABASE_URL: databaseUrl });
  const t = await tenant(ours.url);
  await seed(databaseUrl, t, {
    baseline: true,
    sizes: [
      [t.small, 1000],
      [t.middle, Math.min(100_000, MILLION)],
      [t.large, MILLION],
    ],
  });
  const rival = await start('bench/chat/baseline.mjs', { DATABASE_URL: databaseUrl });
  const only = process.argv.find((arg) => arg.startsWith('--scenario='))?.slice(11);
  const rows = [];
  const histories = [];
  for (const scenario of scenarios(t).filter(({ name }) => only === undefined || name.includes(only))) {
    const measured = { ours: [], rival: [] };
    const options = { ...scenario, seconds: SECONDS };
    const warmUp = { ...scenario, seconds: WARM_UP_SECONDS };
    await round(ours, warmUp);
    if (scenario.rival) await round(rival, warmUp);
    for (let i = 0; i < ROUNDS; i++) {
      measured.ours.push(await round(ours, options));
      if (scenario.rival) measured.rival.push(await round(rival, options));
    }
    const a = medians(measured.ours);
    if (scenario.name.startsWith('history')) histories.push(a);
    const b = scenario.rival ? medians(measured.rival) : undefined;
    const ratio = b ? a.rate / b.rate : undefined;
    rows.push([
      scenario.name,
      ...figures(a),
      b ? number(b.rate) : '–',
      b ? number(b.cpuMicros) : '–',
      ratio === undefined ? '–' : ratio.toFixed(2),
      judged(scenario, a.rate, ratio),
    ]);
    console.error(rows.at(-1).join(' | '));
  }
  await rival.stop();
  if (histories.length === 3) console.error(growth(histories));
  await searchFigures(ours, t, MILLION);
  await ours.stop();
  if (only !== undefined) return;
  report(
    withNode('Chat on PostgreSQL'),
    `${machine()}; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s; allowances raised, not off. Baseline: raw Fastify and pg, one named statement a call, limiter in memory (\`bench/chat/baseline.mjs\`). CPU is the server process's, in µs a call.\n\n\`DATABASE_URL=… npm run bench -- chat --write\`\n\n` +
      table(
        ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs', 'baseline calls/s', 'baseline CPU µs', 'ratio', 'target'],
        rows,
      ) +
      `\n\n${growth(histories)}`,
  );
}

export async function chat() {
  await withDatabase(onPostgres);
}
