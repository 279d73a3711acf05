// What delivery targets cost those who post: a fixed 20 posts a second in a workspace without targets, and in one with
// 50, one of which hangs; alternately on one server. The receivers are a separate process.
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { withDatabase } from './database.mjs';
import { machine, number, report, table } from './report.mjs';
import { provision, start } from './servers.mjs';

const POSTS_PER_SECOND = 20;
const quick = process.argv.includes('--quick');
const SECONDS = quick ? 3 : 15;
const ROUNDS = quick ? 1 : 4;
const TARGETS = 50;

/**
 * The receivers: one that answers, one that hangs. Sends their URLs, then, when asked, how many requests were answered.
 */
async function receivers() {
  let answered = 0;
  const listen = async (handler) => {
    const server = createServer(handler);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${server.address().port}/`;
  };
  const quickUrl = await listen((request, reply) => {
    answered++;
    request.resume();
    reply.end();
  });
  const hanging = await listen((request) => void request.resume());
  process.on('message', () => process.send({ answered }));
  process.send({ quick: quickUrl, hanging });
}

const nextMessage = (child) => new Promise((resolve) => child.once('message', resolve));

/** Latencies in ms of posts sent at a fixed rate, whether or not the one before was answered. */
async function posts(server, { token, channel }) {
  const times = [];
  const pending = [];
  const begun = performance.now();
  for (let n = 0; n < POSTS_PER_SECOND * SECONDS; n++) {
    const due = begun + n * (1000 / POSTS_PER_SECOND);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const sent = performance.now();
    pending.push(
      fetch(`${server.url}/api/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel, text: `post ${n}` }),
      })
        .then((response) => response.json())
        .then((answer) => {
          if (!answer.ok) throw new Error(answer.error);
          times.push(performance.now() - sent);
        }),
    );
  }
  await Promise.all(pending);
  return times;
}

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1];

async function workspace(server, name) {
  const made = await provision(server.url, { team: { name }, channels: [{ name: 'busy' }] });
  return { token: made.bot_token, userToken: made.user_token, channel: made.channels[0].id };
}

async function subscribe(server, { userToken }, url) {
  const response = await fetch(`${server.url}/api/webhooks/outgoing`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['message'] }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

export async function targets() {
  await withDatabase(async (databaseUrl) => {
    const server = await start('dist/server/main.js', { DATABASE_URL: databaseUrl });
    const [bare, watched] = [await workspace(server, 'Bare'), await workspace(server, 'Watched')];
    const child = fork(fileURLToPath(import.meta.url), ['receivers']);
    const urls = await nextMessage(child);
    for (let i = 0; i < TARGETS; i++) await subscribe(server, watched, i === 0 ? urls.hanging : `${urls.quick}${i}`);

    const [without, withTargets] = [[], []];
    for (let i = 0; i <= ROUNDS; i++) {
      const pair = [await posts(server, bare), await posts(server, watched)];
      if (i === 0) continue; // warm-up
      without.push(...pair[0]);
      withTargets.push(...pair[1]);
    }
    child.send('how many?');
    const { answered } = await nextMessage(child);
    child.kill();
    await server.stop();
    const ratio = quantile(withTargets, 0.99) / quantile(without, 0.99);
    report(
      'Posts with targets',
      `${machine()}; ${POSTS_PER_SECOND} posts a second, ${ROUNDS} rounds of ${SECONDS} s by turns in a workspace without targets and in one with ${TARGETS} on loopback, one of them hanging.\n\n\`DATABASE_URL=… npm run bench -- targets --write\`\n\n` +
        table(
          ['', 'p50 ms', 'p99 ms'],
          [
            ['without targets', without],
            [`with ${TARGETS} (${number(answered)} deliveries answered)`, withTargets],
          ].map(([name, times]) => [name, number(quantile(times, 0.5)), number(quantile(times, 0.99))]),
        ) +
        `\n\nRatio of the p99: ${ratio.toFixed(2)} (target 1.5: ${ratio <= 1.5 ? 'met' : 'missed'}).`,
    );
  });
}

if (process.argv[2] === 'receivers') await receivers();
