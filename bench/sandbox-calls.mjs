// What a sandbox's journal, and settings of other sandboxes on the server, cost its calls.
import { withDatabase } from './database.mjs';
import { median, round } from './measure.mjs';
import { call, create, own, remove } from './sandbox-client.mjs';
import { provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
/** Rounds of calls, taken alternately, and their length. */
const TURNS = quick ? 2 : 5;
const TURN_SECONDS = quick ? 1 : 2;
const CONNECTIONS = 16;

/** Posts in one sandbox. */
const posts = ({ credentials }) => ({
  connections: CONNECTIONS,
  seconds: TURN_SECONDS,
  request: ({ n }) => ({
    path: '/api/chat.postMessage',
    headers: { authorization: `Bearer ${credentials.bot_token}` },
    body: { channel: '#general', text: `post ${n}` },
  }),
});

/** The ratio of the second's rate to the first's, in alternating rounds. Each is a server and a request for it. */
async function ratio(one, other) {
  const rates = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const i of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const { server, asked } = [one, other][i];
      rates[i].push((await round(server, asked)).rate);
    }
  }
  return { before: median(rates[0]), after: median(rates[1]), ratio: median(rates[1]) / median(rates[0]) };
}

/** A sandbox with its journal, against one without. */
export async function journalRatio(server) {
  const [without, kept] = [await create(server.url, { journal: false }), await create(server.url, { journal: true })];
  const found = await ratio({ server, asked: posts(without) }, { server, asked: posts(kept) });
  for (const made of [without, kept]) await remove(server.url, made);
  return found;
}

/** A sandbox without special settings, before and after other sandboxes of the server get faults, rules and clocks. */
export async function othersRatio(server) {
  const { url } = server;
  const quiet = await create(url, { journal: false });
  const before = [];
  for (let turn = 0; turn < TURNS; turn++) before.push((await round(server, posts(quiet))).rate);
  const others = await Promise.all(Array.from({ length: 10 }, () => create(url, {})));
  for (const made of others) {
    await call(url, 'PUT', '/api/sandboxes/self/clock', own(made), { now: '2040-01-01T00:00:00Z' }, 200);
    for (let i = 0; i < 10; i++) {
      const fault = { on: { method: '*' }, fault: { type: 'drop' }, times: null };
      await call(url, 'POST', '/api/sandboxes/self/faults', own(made), fault, 201);
      await call(url, 'POST', '/api/sandboxes/self/delivery-rules', own(made), { do: { type: 'hold' } }, 201);
    }
  }
  const after = [];
  for (let turn = 0; turn < TURNS; turn++) after.push((await round(server, posts(quiet))).rate);
  for (const made of [quiet, ...others]) await remove(url, made);
  return { before: median(before), after: median(after), ratio: median(after) / median(before) };
}

/** Calls in a sandbox without special settings, compared with an earlier build on a database of its own. */
export async function baselineRatio(server, env) {
  const script = process.env.BENCH_BASELINE;
  if (!script) return undefined;
  let found;
  const compare = async (databaseUrl) => {
    const old = await start(script, { ...env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) });
    try {
      const credentials = { bot_token: (await provision(old.url, { team: { name: 'Baseline' } })).bot_token };
      const made = await create(server.url, { journal: false });
      found = await ratio({ server: old, asked: posts({ credentials }) }, { server, asked: posts(made) });
      await remove(server.url, made);
    } finally {
      await old.stop();
    }
  };
  await (env.DATABASE_URL === '' ? compare() : withDatabase(compare));
  return found;
}
