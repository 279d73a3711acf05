// One tenant sends its worst-case load while another's calls are made ten times a second: how much the neighbour is
// slowed down.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withDatabase } from './database.mjs';
import { ask as askUntil, barOf, send } from './neighbour.mjs';
import { NAMES, NEEDS } from './neighbour-attacks.mjs';
import { machine, number, report, rowsOf, table } from './report.mjs';
import { ADMIN_TOKEN, provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const option = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
/** `--only=introspection,sign-ups` measures the attacks whose names begin with these. */
const only = option('only')?.split(',');
/** `--on=PostgreSQL` or `--on=embedded` measures that database only. */
const database = option('on');
const SECONDS = Number(option('seconds') ?? (quick ? 3 : 20));
/** The loud tenant's data: issues with long texts in a project, and long messages. */
const [ISSUES, MESSAGES] = quick ? [200, 200] : [2_000, 2_000];
/** An attack has begun. */
const BEGIN_MS = 1_000;
/** How long the after-effects of an attack may last at most before the next one is measured. */
const REST_MS = 10_000;
const TITLE = 'Neighbours';
const FLOOR = 'as much load elsewhere';

/** Makes the neighbour's calls for this long. */
function ask(url, t, seconds) {
  const until = performance.now() + seconds * 1_000;
  return askUntil(url, t, () => performance.now() >= until);
}

async function tenant(url, name, users) {
  const made = await provision(url, {
    team: { name },
    users: Array.from({ length: users }, (_, i) => ({ name: `${name}${i}` })),
    channels: Array.from({ length: 20 }, (_, i) => ({ name: `channel-${i}` })),
  });
  const key = made.tracker.api_key;
  const query = '{ teams(first: 1) { nodes { id } } }';
  const { data } = await (await send(url, '/graphql', key, { query })).json();
  return {
    id: made.team.id,
    owner: `Bearer ${made.admin.access_token}`,
    bot: `Bearer ${made.bot_token}`,
    user: `Bearer ${made.user_token ?? made.bot_token}`,
    key,
    team: data.teams.nodes[0].id,
    channels: made.channels.map(({ id }) => id),
    operator: ADMIN_TOKEN,
  };
}

/** Deletes a tenant with everything it still has to send. */
async function remove(url, { id, owner }) {
  const answer = await fetch(`${url}/api/workspaces/${id}`, { method: 'DELETE', headers: { authorization: owner } });
  if (!answer.ok) throw new Error(`a tenant was not deleted: ${answer.status} ${await answer.text()}`);
}

/** Over empty tables nothing is slow. */
async function fill(url, t, { issues = false, messages = false }) {
  const graphql = async (query, variables) => {
    const { data, errors } = await (await send(url, '/graphql', t.key, { query, variables })).json();
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  if (issues) {
    const { projectCreate } = await graphql(
      'mutation ($team: String!) { projectCreate(input: { name: "all", teamIds: [$team] }) { project { id } } }',
      { team: t.team },
    );
    const issue = (n) => ({
      teamId: t.team,
      projectId: projectCreate.project.id,
      title: `issue ${n}`,
      description: 'a long text '.repeat(400),
    });
    for (let n = 0; n < ISSUES; n += 50) {
      const issues = Array.from({ length: 50 }, (_, i) => issue(n + i));
      await graphql(
        'mutation ($issues: [IssueCreateInput!]!) { issueBatchCreate(input: { issues: $issues }) { success } }',
        { issues },
      );
    }
  }
  if (messages) {
    for (let n = 0; n < MESSAGES; n += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const text = 'the quick brown fox jumps over the lazy dog '.repeat(80);
          const answer = await send(url, '/api/chat.postMessage', t.bot, { channel: t.channels[(n + i) % 20], text });
          if (!(await answer.json()).ok) throw new Error('a message was not taken');
        }),
      );
    }
  }
}

/** Starts an attack in a process of its own. Returns a function that ends it. */
async function begin(url, loud, name) {
  const child = fork(fileURLToPath(new URL('neighbour-attacks.mjs', import.meta.url)));
  child.send({ url, tenant: loud, name });
  await new Promise((begun) => child.once('message', begun));
  return () =>
    new Promise((ended) => {
      child.once('exit', ended);
      child.kill('SIGKILL');
    });
}

/** The CPU share of the load generator itself: an attack that runs meanwhile against a server that does nothing. */
async function floor(url, calm) {
  const idle = createServer((request, answer) => request.resume().on('end', () => setTimeout(() => answer.end(), 30)));
  await new Promise((listening) => idle.listen(0, '127.0.0.1', listening));
  const nobody = { bot: 'Bearer none', user: 'Bearer none', channels: ['C'], operator: '' };
  const end = await begin(`http://127.0.0.1:${idle.address().port}`, nobody, 'posts into one channel');
  try {
    await sleep(BEGIN_MS);
    return await ask(url, calm, SECONDS);
  } finally {
    await end();
    idle.closeAllConnections();
    idle.close();
  }
}

/** Waits until the neighbour is no longer slowed down by the previous attack, up to a limit. */
async function atRest(url, calm, quiet) {
  for (const until = performance.now() + REST_MS; performance.now() < until;) {
    const { p99 } = await ask(url, calm, 0.5);
    if (p99 < 2 * quiet.p99) return;
  }
}

async function on(name, env) {
  const server = await start('dist/server/main.js', env);
  try {
    const { url } = server;
    const calm = await tenant(url, 'calm', 2);
    await ask(url, calm, 3);
    const quiet = await ask(url, calm, SECONDS);
    const bar = barOf(quiet);
    const row = (what, { p99, slowest, refused }, met) => {
      const limit = met === '–' ? '–' : number(bar);
      const cells = [name, what, number(p99), number(slowest), limit, String(refused), met];
      console.error(cells.join(' | '));
      return cells;
    };
    const rows = [row('nothing', quiet, '–'), row(FLOOR, await floor(url, calm), '–')];
    for (const what of NAMES.filter((name) => only?.some((start) => name.startsWith(start)) ?? true)) {
      const loud = await tenant(url, 'loud', 100);
      await fill(url, loud, NEEDS[what] ?? {});
      await atRest(url, calm, quiet);
      const end = await begin(url, loud, what);
      await sleep(BEGIN_MS);
      const seen = await ask(url, calm, SECONDS);
      await end();
      rows.push(row(what, seen, seen.p99 <= bar && seen.refused === 0 ? 'met' : 'missed'));
      await remove(url, loud);
      await atRest(url, calm, quiet);
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Earlier results of attacks that are not measured now stay in the table, in the order of the attacks. */
function merged(rows) {
  const key = ([database, what]) => `${database} ${what}`;
  const all = new Map(rowsOf(TITLE).map((row) => [key(row), row]));
  for (const row of rows) all.set(key(row), row);
  const order = ['embedded', 'PostgreSQL'].flatMap((database) =>
    ['nothing', FLOOR, ...NAMES].map((what) => key([database, what])),
  );
  return order.map((at) => all.get(at)).filter(Boolean);
}

export async function neighbours() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  try {
    const rows = [];
    if (database !== 'PostgreSQL') {
      rows.push(...(await on('embedded', { DATABASE_URL: '', SVC_DATA_DIR: join(folder, 'data') })));
    }
    if (process.env.DATABASE_URL && database !== 'embedded') {
      await withDatabase(async (url) => rows.push(...(await on('PostgreSQL', { DATABASE_URL: url }))));
    }
    report(
      TITLE,
      `${machine()}; one tenant at its worst for ${SECONDS} s, in turn in each way, with 64 connections where nothing else is said (those who retry at once: 500), ${ISSUES} issues and ${MESSAGES} messages; another asking \`auth.test\`, a post and \`viewer\` ten times a second each, ${SECONDS * 30} calls in all. The bar: p99 of the neighbour at most five times its quiet one or 50 ms, never over 250 ms, and nothing but 200. The load comes from the same machine, from a process of its own; allowances are raised so far that none stops it. _${FLOOR}_ says what the load itself takes of the cores: 64 connections ask another server, 2,000 times a second, that does nothing.\n\n\`DATABASE_URL=… npm run bench -- neighbours --write\`; \`--only=introspection,sign-ups\`, \`--on=embedded\` and \`--seconds=5\` measure a part, whose rows take the place of those before.\n\n` +
        table(['database', 'the other tenant', 'p99 ms', 'slowest ms', 'bar ms', 'not 200', 'bar'], merged(rows)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
