// What the way of `understudy run` costs (docs/REACH.md): calls a second of 32 connections that were opened for slack.com and
// end at the run's TLS port, beside the same calls sent to the server itself, by turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onEach } from './database.mjs';
import { median, round } from './measure.mjs';
import { machine, number, report, table, verdict } from './report.mjs';
import { create } from './sandbox-client.mjs';
import { ADMIN_TOKEN, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const flag = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const CONNECTIONS = 32;
const SECONDS = Number(flag('seconds') ?? (quick ? 1 : 3));
const TURNS = Number(flag('turns') ?? (quick ? 1 : 5));
const TARGET = 0.7;

/** A run that stays open, and the port of its TLS edge. */
async function openRun(url) {
  const command = [
    process.execPath,
    '-e',
    'console.log(process.env.UNDERSTUDY_RUN); process.stdin.resume().on("end", () => process.exit())',
  ];
  const child = spawn(process.execPath, ['bin/understudy.mjs', 'run', '--quiet', '--server', url, '--', ...command], {
    env: { ...process.env, SVC_ADMIN_TOKEN: ADMIN_TOKEN, DATABASE_URL: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  const close = async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  };
  return { port: JSON.parse(said.toString()).port, close };
}

async function section(name, env) {
  const server = await start('dist/server/main.js', env);
  try {
    const { credentials } = await create(server.url, {});
    const headers = { authorization: `Bearer ${credentials.bot_token}` };
    const calls = {
      'auth.test': () => ({ path: '/api/auth.test', headers, body: {} }),
      'chat.postMessage': ({ n }) => ({
        path: '/api/chat.postMessage',
        headers,
        body: { channel: '#general', text: `post ${n}` },
      }),
    };
    const run = await openRun(server.url);
    const led = { ...server, url: `https://127.0.0.1:${run.port}` };
    const rows = [];
    for (const [method, request] of Object.entries(calls)) {
      const rates = { direct: [], led: [] };
      for (let turn = 0; turn < TURNS; turn++) {
        const load = { connections: CONNECTIONS, seconds: SECONDS, request };
        rates.direct.push((await round(server, load)).rate);
        rates.led.push((await round(led, { ...load, servername: 'slack.com' })).rate);
      }
      const [direct, through] = [median(rates.direct), median(rates.led)];
      rows.push([
        method,
        number(direct),
        number(through),
        (through / direct).toFixed(2),
        verdict(through / direct >= TARGET),
      ]);
    }
    await run.close();
    return `### ${name}\n\n${table(['', 'directly', 'by the run', 'ratio', `target ${TARGET}`], rows)}`;
  } finally {
    await server.stop();
  }
}

export async function reach() {
  const parts = await onEach(flag('on'), section);
  report(
    'Reach',
    `${machine()}; calls a second of ${CONNECTIONS} connections, medians of ${TURNS} rounds of ${SECONDS} s by turns. Server, run and load share the cores.\n\n\`DATABASE_URL=… npm run bench -- reach --write\`\n\n${parts.join('\n\n')}`,
  );
}
