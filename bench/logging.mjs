// What the log and the metrics cost: their share of the server's CPU, by a profile of its time under load. Two servers
// with and without them would differ by more than that from one round to the next.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDatabase } from './database.mjs';
import { round } from './measure.mjs';
import { machine, report, table } from './report.mjs';
import { freePort, provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 2 : 5;
const MAX_PERCENT = 3;

/** Files of the log and the metrics, ours and their libraries'. */
const COUNTED = /\/kernel\/(log|metrics)\/|\/node_modules\/(pino|sonic-boom|quick-format-unescaped|prom-client)\//;
/** What names a finished call for both. */
const NAMING = { file: /\/kernel\/http\/pressure\.js$/, functions: ['methodOf', 'outcomeOf'] };

/** The clock of profiles, in microseconds. */
const now = () => Number(process.hrtime.bigint() / 1000n);

/** Percent of the busy time between `from` and `to` that was spent in the log and the metrics, or in what they called. */
function shareOf(profile, { from, to }) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const isOfThem = ({ url, functionName }) =>
    COUNTED.test(url) || (NAMING.file.test(url) && NAMING.functions.includes(functionName));
  const counted = new Map();
  const isCounted = (id) => {
    if (id === undefined) return false;
    if (!counted.has(id)) counted.set(id, isOfThem(nodes.get(id).callFrame) || isCounted(parents.get(id)));
    return counted.get(id);
  };
  let [at, busy, theirs] = [profile.startTime, 0, 0];
  profile.samples.forEach((id, i) => {
    const took = profile.timeDeltas[i];
    at += took;
    if (at < from || at > to || nodes.get(id).callFrame.functionName === '(idle)') return;
    busy += took;
    if (isCounted(id)) theirs += took;
  });
  return (100 * theirs) / busy;
}

/** The share for each of the calls, with one server. */
async function sharesWith(databaseUrl, env) {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-profile-'));
  try {
    const args = [`--cpu-prof-dir=${directory}`, '--cpu-prof-interval=500', 'dist/main.js'];
    const server = await start('--cpu-prof', { DATABASE_URL: databaseUrl, ...env }, args, { stderr: 'ignore' });
    const made = await provision(server.url, { team: { name: 'Logging' }, channels: [{ name: 'one' }] });
    const headers = { authorization: `Bearer ${made.bot_token}` };
    const channel = made.channels[0].id;
    const calls = [
      () => ({ path: '/api/auth.test', headers, body: {} }),
      ({ n }) => ({ path: '/api/chat.postMessage', headers, body: { channel, text: `message ${n}` } }),
    ];
    const times = [];
    for (const request of calls) {
      await round(server, { connections: 32, seconds: 2, request });
      const from = now();
      await round(server, { connections: 32, seconds: SECONDS, request });
      times.push({ from, to: now() });
    }
    await server.stop();
    const [file] = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'));
    const profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    return times.map((time) => shareOf(profile, time));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const percent = (share) => `${share.toFixed(2)} %`;

export async function logging() {
  await withDatabase(async (databaseUrl) => {
    const metrics = { SVC_METRICS_PORT: String(await freePort()) };
    const settings = [
      ['as it starts', { SVC_LOG_LEVEL: 'info' }, true],
      ['with metrics', { SVC_LOG_LEVEL: 'info', ...metrics }, true],
      ['with metrics and a line for each call (`debug`)', { SVC_LOG_LEVEL: 'debug', ...metrics }, false],
    ];
    const rows = [];
    for (const [name, env, isJudged] of settings) {
      const shares = await sharesWith(databaseUrl, env);
      const isMet = shares.every((share) => share <= MAX_PERCENT);
      rows.push([name, ...shares.map(percent), isJudged ? `${MAX_PERCENT} % ${isMet ? 'met' : 'missed'}` : '–']);
    }
    report(
      'Logging and metrics',
      `${machine()}; their share of the server's CPU time on PostgreSQL under 32 connections, ${SECONDS} s each after 2 s of warming up, by a profile with a sample every 0.5 ms. What they call counts with them, also the writing of lines.\n\n\`DATABASE_URL=… npm run bench -- logging --write\`\n\n` +
        table(['', 'auth.test', 'chat.postMessage', 'target'], rows),
    );
  });
}
