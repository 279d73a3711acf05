// What sandboxes cost (docs/reference/sandboxes.md): create, reset, snapshot, delete, wait, many at once, thousands on
// one server, and what the journal and other sandboxes' faults cost a call; on the embedded database and, with
// DATABASE_URL, on PostgreSQL. With BENCH_BASELINE=<dist/server/main.js of an earlier build> calls are compared with
// that build. `--only=make,reset,wait,workers,many,calls` measures those parts and `--on=embedded` or `--on=postgresql`
// that database; the results of neither are written to the document.
import { onEach } from './database.mjs';
import { machine, number, report, table, verdict } from './report.mjs';
import { baselineRatio, journalRatio, othersRatio } from './sandbox-calls.mjs';
import { call, change, create, documentOf, own, quantile, remove, timed } from './sandbox-client.mjs';
import { provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 10 : 200;
const WORKERS = quick ? 4 : 20;
const SECONDS = quick ? 2 : 15;
/** The numbers of sandboxes at which the server is measured again, and how long making them may take. */
const MANY = quick ? 40 : 10_000;
const FILL_SECONDS = quick ? 5 : 90;
const AGAIN = quick ? 5 : 50;

const flag = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const [only, on] = [flag('only')?.split(','), flag('on')];
const isWanted = (part) => only === undefined || only.includes(part);

/** Creating and deleting sandboxes. */
async function measureMaking(url, add) {
  const [empty, gone] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    const made = await timed(empty, () => create(url, {}));
    await timed(gone, () => remove(url, made));
  }
  add('create, empty', 10, empty);
  add('delete', 10, gone);

  const full = [];
  for (let i = 0; i < ROUNDS; i++) await remove(url, await timed(full, () => create(url, documentOf(2_000))));
  add('create of 2,000 rows', 50, full);

  const [small, large] = [[], []];
  const users = Array.from({ length: 100 }, (_, i) => ({ name: `user-${i}` }));
  const channels = Array.from({ length: 20 }, (_, i) => ({ name: `channel-${i}` }));
  for (let i = 0; i < ROUNDS; i++) {
    await timed(small, () => provision(url, { team: { name: `Bench ${i}` } }));
    if (i < ROUNDS / 4) await timed(large, () => provision(url, { team: { name: `Large ${i}` }, users, channels }));
  }
  add('provision, empty', 10, small);
  add('provision 100 users and 20 channels', 50, large);
}

async function measureResets(url, add) {
  for (const [size, target] of [
    [100, 10],
    [2_000, 50],
    [20_000, 150],
  ]) {
    const made = await create(url, documentOf(size));
    const [resets, snapshots] = [[], []];
    for (let i = 0; i < (size === 20_000 ? ROUNDS / 4 : ROUNDS); i++) {
      await change(url, made);
      await timed(resets, () => call(url, 'POST', '/api/sandboxes/self/reset', own(made), {}, 200));
    }
    if (size === 2_000) {
      for (let i = 0; i < ROUNDS; i++) {
        await timed(snapshots, () =>
          call(url, 'POST', '/api/sandboxes/self/snapshots', own(made), { name: 'bench' }, 201),
        );
        await change(url, made);
      }
    }
    add(`reset after 20 changes, ${number(size)} rows`, target, resets);
    if (size === 2_000) add('snapshot of 2,000 rows', 30, snapshots);
    await remove(url, made);
  }
}

async function measureWaits(url, add) {
  const waits = [];
  const waited = await create(url, {});
  for (let i = 0; i < ROUNDS; i++) {
    const text = `waited for ${i}`;
    const body = { for: 'message', where: { text }, timeout_ms: 5_000 };
    let posted = 0;
    const waiting = call(url, 'POST', '/api/sandboxes/self/wait', own(waited), body, 200).then(({ matched }) => {
      if (!matched) throw new Error('a wait was in vain');
      return performance.now();
    });
    const headers = { authorization: `Bearer ${waited.credentials.bot_token}` };
    await call(url, 'POST', '/api/chat.postMessage', headers, { channel: '#general', text }, 200);
    posted = performance.now();
    waits.push(Math.max(0, (await waiting) - posted));
  }
  add('wait answered after the commit', 20, waits);
}

const TIMED = { make: measureMaking, reset: measureResets, wait: measureWaits };

/** Sandboxes per second that workers create, use and delete, and how long their resets took. */
async function work(url, workers) {
  let done = 0;
  const resets = [];
  const began = performance.now();
  const until = began + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (performance.now() < until) {
        const made = await create(url, {});
        const headers = { authorization: `Bearer ${made.credentials.bot_token}` };
        for (const text of ['one', 'two']) {
          await call(url, 'POST', '/api/chat.postMessage', headers, { channel: '#general', text }, 200);
        }
        await timed(resets, () => call(url, 'POST', '/api/sandboxes/self/reset', own(made), {}, 200));
        await remove(url, made);
        done++;
      }
    }),
  );
  return { rate: done / ((performance.now() - began) / 1000), resets };
}

/** What gets slower with the number of sandboxes, if anything. */
async function measureAgain(url) {
  const [empty, gone, full, resets] = [[], [], [], []];
  for (let i = 0; i < AGAIN; i++) {
    const made = await timed(empty, () => create(url, {}));
    await timed(gone, () => remove(url, made));
  }
  for (let i = 0; i < AGAIN; i++) await remove(url, await timed(full, () => create(url, documentOf(2_000))));
  const made = await create(url, documentOf(100));
  for (let i = 0; i < AGAIN; i++) {
    await change(url, made);
    await timed(resets, () => call(url, 'POST', '/api/sandboxes/self/reset', own(made), {}, 200));
  }
  await remove(url, made);
  return { 'create, empty': empty, delete: gone, 'create of 2,000 rows': full, 'reset, 100 rows': resets };
}

/** Creates as many sandboxes as fit into the time; returns how many there are. */
async function fill(url) {
  const until = performance.now() + FILL_SECONDS * 1000;
  let made = 0;
  const fillers = Array.from({ length: 8 }, async () => {
    while (made < MANY && performance.now() < until) {
      made++;
      await create(url, { ttl_seconds: null });
    }
  });
  await Promise.all(fillers);
  return made;
}

function ratios(rows) {
  return table(
    ['calls/s', 'without', 'with', 'ratio', 'target', ''],
    rows.flatMap(([what, found, target]) =>
      found === undefined
        ? []
        : [
            [
              what,
              number(found.before),
              number(found.after),
              found.ratio.toFixed(2),
              `≥ ${target}`,
              verdict(found.ratio >= target),
            ],
          ],
    ),
  );
}

async function timesOf(url) {
  const rows = [];
  const add = (what, target, times) => rows.push({ what, target, times });
  for (const [part, work] of Object.entries(TIMED)) if (isWanted(part)) await work(url, add);
  return table(
    ['', 'target ms', 'median ms', 'p99 ms', ''],
    rows.map(({ what, target, times }) => [
      what,
      `≤ ${target}`,
      number(quantile(times, 0.5)),
      number(quantile(times, 0.99)),
      verdict(quantile(times, 0.5) <= target),
    ]),
  );
}

async function workersOf(url) {
  const one = await work(url, 1);
  const many = await work(url, WORKERS);
  const alone = quantile(one.resets, 0.5);
  const [slow, slowest] = [quantile(many.resets, 0.99) / alone, Math.max(...many.resets) / alone];
  return (
    `Made, used, reset and deleted a second: ${number(one.rate)} by one worker, ${number(many.rate)} by ${WORKERS} (target: no fewer; ${verdict(many.rate >= one.rate)}). ` +
    `A reset takes ${number(alone)} ms alone; among the ${WORKERS} its p99 is ${slow.toFixed(1)} times that, the longest ${slowest.toFixed(1)} times (target 5: ${verdict(slowest <= 5)}).`
  );
}

async function measureMany(url) {
  const few = await measureAgain(url);
  const there = await fill(url);
  const many = await measureAgain(url);
  const growth = Object.keys(few).map((what) => {
    const [before, after] = [quantile(few[what], 0.5), quantile(many[what], 0.5)];
    return [what, number(before), number(after), (after / before).toFixed(2), verdict(after / before <= 1.2)];
  });
  return (
    `With ${there.toLocaleString('en')} sandboxes on the server, medians of ${AGAIN} (target 1.2 times those with a few):\n\n` +
    table(['', 'few, ms', 'many, ms', 'ratio', ''], growth)
  );
}

const callsOf = async (server, env) =>
  ratios([
    ['journal on, to off', await journalRatio(server), 0.8],
    ["others' faults, rules and clocks", await othersRatio(server), 0.98],
    ['this build, to an earlier one', await baselineRatio(server, env), 0.98],
  ]);

async function section(name, env) {
  const server = await start('dist/server/main.js', { SVC_SANDBOX_LIMIT: '0', ...env });
  const { url } = server;
  try {
    await create(url, {});
    const parts = [];
    if (Object.keys(TIMED).some(isWanted)) parts.push(await timesOf(url));
    if (isWanted('calls')) parts.push(await callsOf(server, env));
    if (isWanted('workers')) parts.push(await workersOf(url));
    if (isWanted('many')) parts.push(await measureMany(url));
    return `### ${name}\n\n${parts.join('\n\n')}`;
  } finally {
    await server.stop();
  }
}

export async function sandboxes() {
  const parts = await onEach(on, section);
  if (only !== undefined || on !== undefined) return console.log(parts.join('\n\n'));
  report(
    'Sandboxes',
    `${machine()}; one server, medians and p99 of ${ROUNDS} by turns, as seen by the caller.\n\n\`DATABASE_URL=… npm run bench -- sandboxes --write\`\n\n${parts.join('\n\n')}`,
  );
}
