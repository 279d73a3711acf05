// What evaluations at scale cost (docs/EVALUATION.md): claims of a pool, forks, resets, deletions and states, with few and
// with a thousand sandboxes on the server that are called every ten seconds each; calls that are spread over them, what
// an idle fork keeps in memory, and how soon `understudy run` starts its command. On the embedded database and, with
// DATABASE_URL, on PostgreSQL. `--live=5000` measures with as many; `--only=times,live,memory,run` and `--on=embedded` or
// `--on=postgresql` measure a part, whose results are not written to the document.
import { spawn } from 'node:child_process';
import { onEach } from './database.mjs';
import { idleMemory, median, round } from './measure.mjs';
import { machine, number, report, table, verdict } from './report.mjs';
import { call, change, create, documentOf, own, quantile, remove, timed } from './sandbox-client.mjs';
import { ADMIN_TOKEN, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const flag = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const [only, on] = [flag('only')?.split(','), flag('on')];
const isWanted = (part) => only === undefined || only.includes(part);

const ROUNDS = Number(flag('rounds') ?? (quick ? 5 : 200));
/** With many sandboxes on the server each figure is the median of so many. */
const AGAIN = Math.min(ROUNDS, 50);
const LIVE = Number(flag('live') ?? (quick ? 20 : 1_000));
const AT_ONCE = quick ? 8 : 64;
/** The longest that making the sandboxes of a part takes. */
const FILL_SECONDS = quick ? 20 : 300;
const ROUND_SECONDS = quick ? 1 : 3;
const TURNS = quick ? 1 : 5;
const RUNS = quick ? 2 : 15;
/** After so long V8 has given back what it keeps to grow into: it begins eight seconds after the last work. */
const REST_SECONDS = quick ? 2 : 40;
/** The size of a fork, as the reference tasks have it. */
const ROWS = 160;

const operator = { 'x-admin-token': ADMIN_TOKEN };
const as = (made) => ({ authorization: `Bearer ${made.credentials.bot_token}` });

async function snapshotOf(url, rows) {
  const made = await create(url, documentOf(rows));
  const { id } = await call(url, 'POST', '/api/sandboxes/self/snapshots', own(made), {}, 201);
  return { made, id };
}

/** A pool with all its sandboxes ready. */
async function poolOf(url, from, size) {
  const { id } = await call(
    url,
    'POST',
    '/api/pools',
    operator,
    { name: `bench-${from.toLowerCase()}`, from, size, refill: false },
    201,
  );
  const until = performance.now() + FILL_SECONDS * 1000;
  for (;;) {
    const { ready } = await call(url, 'GET', `/api/pools/${id}`, operator, undefined, 200);
    if (ready === size) return id;
    if (performance.now() > until) throw new Error(`a pool had ${ready} of ${size} ready after ${FILL_SECONDS} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Claims, forks, resets and deletions, by turns. */
async function episodes(url, from, rounds) {
  const pool = await poolOf(url, from, rounds);
  const [claims, forks, resets, gone] = [[], [], [], []];
  for (let i = 0; i < rounds; i++) {
    const claimed = await timed(claims, () => create(url, { pool }));
    if (!claimed.pooled) throw new Error('a claim got one that was not ready');
    await change(url, claimed);
    await timed(resets, () => call(url, 'POST', '/api/sandboxes/self/reset', own(claimed), {}, 200));
    await timed(gone, () => remove(url, claimed));
    await remove(url, await timed(forks, () => create(url, { from })));
  }
  await call(url, 'DELETE', `/api/pools/${pool}`, operator, undefined, 200);
  return { 'claim of a pool': claims, 'fork without a pool': forks, 'reset after 20 changes': resets, delete: gone };
}

const TARGETS = (isPostgres) => ({
  'claim of a pool': 5,
  'fork without a pool': isPostgres ? 25 : 40,
  'reset after 20 changes': 10,
  delete: 5,
});

async function timesOf(url, isPostgres, { id: from }) {
  const found = await episodes(url, from, ROUNDS);
  const rows = Object.entries(TARGETS(isPostgres)).map(([what, target]) => [what, target, found[what]]);
  const together = performance.now();
  const made = await Promise.all(Array.from({ length: AT_ONCE }, () => create(url, { from })));
  rows.push([`${AT_ONCE} forks at once, in all`, 2_000, [performance.now() - together]]);
  for (const one of made) await remove(url, one);
  const { made: large } = await snapshotOf(url, 2_000);
  const states = [];
  for (let i = 0; i < AGAIN; i++) {
    await timed(states, () => call(url, 'GET', '/api/sandboxes/self/state', own(large), undefined, 200));
  }
  rows.push(['state of 2,000 rows', 100, states]);
  await remove(url, large);
  return table(
    ['', 'target ms', 'median ms', 'p99 ms', ''],
    rows.map(([what, target, times]) => [
      what,
      `≤ ${number(target)}`,
      number(quantile(times, 0.5)),
      number(quantile(times, 0.99)),
      verdict(quantile(times, 0.5) <= target),
    ]),
  );
}

/** Forks, as many as fit into the time. */
async function fill(url, from, count) {
  const until = performance.now() + FILL_SECONDS * 1000;
  const made = [];
  let asked = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (asked < count && performance.now() < until) {
        asked++;
        made.push(await create(url, { from, ttl_seconds: null }));
      }
    }),
  );
  return made;
}

/** Calls each sandbox every ten seconds until the work is done. */
async function whileCalled(url, sandboxes, work) {
  let isOver = false;
  const calling = (async () => {
    for (let n = 0; !isOver; n++) {
      await call(url, 'POST', '/api/auth.test', as(sandboxes[n % sandboxes.length]), {}, 200);
      await new Promise((resolve) => setTimeout(resolve, 10_000 / sandboxes.length));
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await calling;
  }
}

/** Posts a second, spread over sandboxes or in one. */
async function rateOf(server, sandboxes) {
  const found = await round(server, {
    connections: 16,
    seconds: ROUND_SECONDS,
    request: ({ n }) => ({
      path: '/api/chat.postMessage',
      headers: as(sandboxes[n % sandboxes.length]),
      body: { channel: '#general', text: `post ${n}` },
    }),
  });
  return found.rate;
}

async function liveOf(server, { id: from, made }) {
  const { url } = server;
  const few = await episodes(url, from, AGAIN);
  const sandboxes = await fill(url, from, LIVE);
  const many = await whileCalled(url, sandboxes, () => episodes(url, from, AGAIN));
  const most = LIVE > 1_000 ? 1.5 : 1.2;
  const growth = Object.keys(few).map((what) => {
    const [before, after] = [quantile(few[what], 0.5), quantile(many[what], 0.5)];
    return [what, number(before), number(after), (after / before).toFixed(2), verdict(after / before <= most)];
  });
  const rates = { one: [], spread: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    rates.one.push(await rateOf(server, [made]));
    rates.spread.push(await rateOf(server, sandboxes));
  }
  const [one, spread] = [median(rates.one), median(rates.spread)];
  const shared = await ownRatio(server, from);
  for (const sandbox of sandboxes) await remove(url, sandbox);
  return [
    `With ${number(sandboxes.length)} forks on the server that are called every 10 s each, medians of ${AGAIN} (target ${most} times those with few):`,
    table(['', 'few, ms', 'many, ms', 'ratio', ''], growth),
    `Posts a second: ${number(one)} in one sandbox, ${number(spread)} spread over all (${(spread / one).toFixed(2)}, target 0.8: ${verdict(spread / one >= 0.8)}).`,
    ...shared,
  ].join('\n\n');
}

/** Calls in forks with ids of their own space, to those in others. */
async function ownRatio(server, from) {
  const { url } = server;
  const owned = await create(url, { from, id_space: 'own' }).catch(() => undefined);
  if (!owned) return ['This build has no `id_space: own`.'];
  const plain = await create(url, { from });
  const rates = { plain: [], owned: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    rates.plain.push(await rateOf(server, [plain]));
    rates.owned.push(await rateOf(server, [owned]));
  }
  for (const made of [plain, owned]) await remove(url, made);
  const found = median(rates.owned) / median(rates.plain);
  return [
    `Posts in a fork with ids of its own space, to those in another: ${found.toFixed(2)} (target 0.9: ${verdict(found >= 0.9)}).`,
  ];
}

/** What an idle fork keeps in memory, between the first and the second half of twice as many. */
async function memoryOf(server, isPostgres, { id: from }) {
  const first = await fill(server.url, from, LIVE);
  const before = await idleMemory(server.pid, REST_SECONDS);
  const second = await fill(server.url, from, LIVE);
  const each = ((await idleMemory(server.pid, REST_SECONDS)) - before) / second.length;
  for (const made of [...first, ...second]) await remove(server.url, made);
  const target = isPostgres ? 30 : 200;
  return `From the ${number(first.length)}th to the ${number(first.length + second.length)}th an idle fork keeps ${number(each * 1024)} KiB of ${isPostgres ? 'the server process' : 'server and database'} (target ${target}: ${verdict(each * 1024 <= target)}).`;
}

/** How long `understudy run` takes until its command says something, in ms. */
function untilStarted(args) {
  const begun = performance.now();
  const command = [process.execPath, '-e', 'process.stdout.write("started")'];
  const child = spawn(process.execPath, ['bin/understudy.mjs', 'run', '--quiet', ...args, '--', ...command], {
    env: { ...process.env, SVC_ADMIN_TOKEN: ADMIN_TOKEN, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(performance.now() - begun));
    child.once('exit', () => reject(new Error('the command did not start')));
  });
  return Promise.all([started, new Promise((resolve) => child.once('exit', resolve))]).then(([ms]) => ms);
}

async function runsOf(url) {
  const [joined, alone] = [[], []];
  for (let i = 0; i < RUNS; i++) {
    joined.push(await untilStarted(['--server', url]));
    alone.push(await untilStarted(['--new']));
  }
  const [first, second] = [quantile(joined, 0.5), quantile(alone, 0.5)];
  return `\`understudy run\` starts its command after ${number(first)} ms on a server that is there (target 300: ${verdict(first <= 300)}), after ${number(second)} ms with one of its own (target 3,000: ${verdict(second <= 3_000)}).`;
}

async function section(name, env) {
  const isPostgres = env.DATABASE_URL !== '';
  const server = await start('dist/server/main.js', { SVC_SANDBOX_LIMIT: '0', ...env });
  try {
    const source = await snapshotOf(server.url, ROWS);
    const parts = [];
    if (isWanted('times')) parts.push(await timesOf(server.url, isPostgres, source));
    if (isWanted('live')) parts.push(await liveOf(server, source));
    if (isWanted('memory')) parts.push(await memoryOf(server, isPostgres, source));
    if (isWanted('run')) parts.push(await runsOf(server.url));
    return `### ${name}\n\n${parts.join('\n\n')}`;
  } finally {
    await server.stop();
  }
}

export async function evaluations() {
  const parts = await onEach(on, section);
  if (only !== undefined || on !== undefined || flag('live') !== undefined) return console.log(parts.join('\n\n'));
  report(
    'Evaluations',
    `${machine()}; one server, forks of ${ROWS} rows, medians and p99 of ${ROUNDS} by turns, as seen by the caller.\n\n\`DATABASE_URL=… npm run bench -- evaluations --write\`\n\n${parts.join('\n\n')}`,
  );
}
