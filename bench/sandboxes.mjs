// What sandboxes cost (docs/reference/sandboxes.md): creating, resetting, keeping and deleting them, waiting, and many at once;
// on the embedded database and, with DATABASE_URL, on PostgreSQL.
import { withDatabase } from './database.mjs';
import { machine, number, report, table } from './report.mjs';
import { ADMIN_TOKEN, provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 10 : 200;
const WORKERS = quick ? 4 : 20;
const SECONDS = quick ? 2 : 15;

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)];

async function call(url, method, path, headers, body, status) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

const operator = { 'x-admin-token': ADMIN_TOKEN };
const create = (url, document) => call(url, 'POST', '/api/sandboxes', operator, document, 201);
const own = (made) => ({ 'x-sandbox-token': made.credentials.control_token });
const remove = (url, made) => call(url, 'DELETE', '/api/sandboxes/self', own(made), undefined, 200);

/** A document that comes to about so many rows. */
const documentOf = (rows) => ({
  users: 10,
  channels: Array.from({ length: 10 }, (_, i) => ({
    name: `channel-${i}`,
    members: ['user-1', 'user-2'],
    messages: Math.max(0, Math.floor((rows * 0.8) / 10)),
  })),
  tracker: {
    teams: [
      { key: 'ENG', issues: Array.from({ length: Math.floor(rows * 0.1) }, (_, i) => ({ title: `Issue ${i}` })) },
    ],
  },
});

async function timed(times, work) {
  const begun = performance.now();
  const answer = await work();
  times.push(performance.now() - begun);
  return answer;
}

/** Twenty changes as a test makes them. */
async function change(url, { credentials }) {
  const headers = { authorization: `Bearer ${credentials.bot_token}` };
  for (let i = 0; i < 20; i++) {
    const answer = await call(
      url,
      'POST',
      '/api/chat.postMessage',
      headers,
      { channel: '#general', text: `change ${i}` },
      200,
    );
    if (!answer.ok) throw new Error(answer.error);
  }
}

async function measure(url) {
  const rows = [];
  const add = (what, target, times) => rows.push({ what, target, times });

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
      if (size === 2_000) {
        await timed(snapshots, () =>
          call(url, 'POST', '/api/sandboxes/self/snapshots', own(made), { name: 'bench' }, 201),
        );
      }
    }
    add(`reset after 20 changes, ${number(size)} rows`, target, resets);
    if (size === 2_000) add('snapshot of 2,000 rows', 30, snapshots);
    await remove(url, made);
  }

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
  return rows;
}

/** Sandboxes a second that workers make, use and delete. */
async function rate(url, workers) {
  let done = 0;
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (performance.now() < until) {
        const made = await create(url, {});
        await call(url, 'POST', '/api/sandboxes/self/reset', own(made), {}, 200);
        await remove(url, made);
        done++;
      }
    }),
  );
  return done / SECONDS;
}

async function section(name, env) {
  const server = await start('dist/server/main.js', { SVC_SANDBOX_LIMIT: '0', ...env });
  try {
    await create(server.url, {});
    const rows = await measure(server.url);
    const [one, many] = [await rate(server.url, 1), await rate(server.url, WORKERS)];
    return (
      `### ${name}\n\n` +
      table(
        ['', 'target ms', 'median ms', 'p99 ms', ''],
        rows.map(({ what, target, times }) => [
          what,
          `≤ ${target}`,
          number(quantile(times, 0.5)),
          number(quantile(times, 0.99)),
          quantile(times, 0.5) <= target ? 'met' : 'missed',
        ]),
      ) +
      `\n\nCreated, reset and deleted a second: ${number(one)} by one worker, ${number(many)} by ${WORKERS} (target: no fewer; ${many >= one ? 'met' : 'missed'}).`
    );
  } finally {
    await server.stop();
  }
}

export async function sandboxes() {
  const parts = [await section('Embedded database', { DATABASE_URL: '', SVC_DATA_DIR: 'memory' })];
  await withDatabase(async (databaseUrl) => {
    parts.push(await section('PostgreSQL', { DATABASE_URL: databaseUrl }));
  });
  report(
    'Sandboxes',
    `${machine()}; one server, medians and p99 of ${ROUNDS} by turns, as seen by the caller.\n\n\`DATABASE_URL=… npm run bench -- sandboxes --write\`\n\n${parts.join('\n\n')}`,
  );
}
