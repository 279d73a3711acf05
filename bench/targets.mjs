// What targets cost those who post: a fixed 20 posts a second without targets, then with 50 of them, one of which hangs.
import { createServer } from 'node:http';
import { withDatabase } from './database.mjs';
import { machine, number, report, table } from './report.mjs';
import { provision, start } from './servers.mjs';

const POSTS_PER_SECOND = 20;
const SECONDS = process.argv.includes('--quick') ? 5 : 20;
const TARGETS = 50;

async function receiver(handler) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

/** Latencies in ms of posts sent on a fixed beat, whether or not the one before was answered. */
async function posts(server, token, channel) {
  const times = [];
  const pending = [];
  for (let n = 0; n < POSTS_PER_SECOND * SECONDS; n++) {
    const due = n * (1000 / POSTS_PER_SECOND);
    if (n === 0) posts.begun = performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, posts.begun + due - performance.now())));
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
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(times.length / 2)], p99: times[Math.ceil(times.length * 0.99) - 1] };
}

export async function targets() {
  await withDatabase(async (databaseUrl) => {
    const server = await start('dist/server/main.js', { DATABASE_URL: databaseUrl });
    const made = await provision(server.url, { team: { name: 'Targets' }, channels: [{ name: 'busy' }] });
    const channel = made.channels[0].id;
    await posts(server, made.bot_token, channel); // warm
    const without = await posts(server, made.bot_token, channel);

    let delivered = 0;
    const quick = await receiver((request, reply) => {
      delivered++;
      request.resume();
      reply.end();
    });
    const hanging = await receiver((request) => void request.resume());
    for (let i = 0; i < TARGETS; i++) {
      const url = i === 0 ? hanging.url : `${quick.url}${i}`;
      const response = await fetch(`${server.url}/api/webhooks/outgoing`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.user_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url, events: ['message'] }),
      });
      if (response.status !== 201) throw new Error(await response.text());
    }
    const withTargets = await posts(server, made.bot_token, channel);
    await server.stop();
    quick.close();
    hanging.close();
    const ratio = withTargets.p99 / without.p99;
    report(
      'Posts with targets',
      `${machine()}; ${POSTS_PER_SECOND} posts a second for ${SECONDS} s, ${TARGETS} subscribed targets on loopback, one of them hanging.\n\n\`DATABASE_URL=… npm run bench -- targets --write\`\n\n` +
        table(
          ['', 'p50 ms', 'p99 ms'],
          [
            ['without targets', number(without.p50), number(without.p99)],
            [
              `with ${TARGETS} (${number(delivered)} deliveries meanwhile)`,
              number(withTargets.p50),
              number(withTargets.p99),
            ],
          ],
        ) +
        `\n\nRatio of the p99: ${ratio.toFixed(2)} (target 1.5: ${ratio <= 1.5 ? 'met' : 'missed'}).`,
    );
  });
}
