// What a rotating token costs beside a plain one (docs/reference/installing.md#rotation): the same calls in turn, in one
// run, so that whatever else the machine does meets both. On the embedded database and, with DATABASE_URL, on PostgreSQL.
import { withDatabase } from './database.mjs';
import { median } from './measure.mjs';
import { machine, report, table } from './report.mjs';
import { create } from './sandbox-client.mjs';
import { start } from './servers.mjs';

const PAIRS = process.argv.includes('--quick') ? 200 : 1_500;
const WARM_UP = 100;

async function timed(url, method, token, args) {
  const begun = performance.now();
  const response = await fetch(`${url}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(`${method}: ${answer.error}`);
  return performance.now() - begun;
}

/** Medians of a method with both tokens, in milliseconds. */
async function pair(url, method, tokens, argsOf) {
  const times = tokens.map(() => []);
  for (let n = -WARM_UP; n < PAIRS; n++) {
    // who goes first changes, as the second call finds the machine warm
    for (const i of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const took = await timed(url, method, tokens[i], argsOf(i, n));
      if (n >= 0) times[i].push(took);
    }
  }
  return times.map(median);
}

async function measure(database, env) {
  const server = await start('dist/server/main.js', { SVC_METHODS: 'all', ...env });
  const scopes = { bot: ['chat:write', 'chat:write.public'] };
  const made = await create(server.url, {
    channels: [{ name: 'one' }, { name: 'two' }],
    rate_limit_multiplier: 0,
    apps: [
      { name: 'plain', scopes },
      { name: 'rotating', scopes, token_rotation: true, installed: { users: [], rotating: true } },
    ],
  });
  const { apps } = made.credentials;
  const tokens = [apps.plain.bot_token, apps.rotating.bot_token];
  if (!tokens[1].startsWith('xoxe.')) throw new Error('the second token does not rotate');
  const rows = [
    ['auth.test', await pair(server.url, 'auth.test', tokens, () => ({}))],
    [
      'chat.postMessage',
      await pair(server.url, 'chat.postMessage', tokens, (i, n) => ({
        channel: ['#one', '#two'][i],
        text: `message ${n}`,
      })),
    ],
  ];
  await server.stop();
  const ms = (value) => `${value.toFixed(2)} ms`;
  return rows.map(([method, [plain, rotating]]) => [
    database,
    method,
    ms(plain),
    ms(rotating),
    `${(100 * (rotating / plain - 1)).toFixed(1)} %`,
  ]);
}

export async function rotating() {
  const rows = await measure('embedded', { SVC_DATA_DIR: 'memory' });
  if (process.env.DATABASE_URL) {
    await withDatabase(async (url) => rows.push(...(await measure('PostgreSQL', { DATABASE_URL: url }))));
  }
  report(
    'Rotating tokens',
    `${machine()}; medians of ${PAIRS} calls with each token, in turn and one at a time.\n\n\`npm run bench -- rotating --write\`\n\n` +
      table(['database', 'method', 'plain', 'rotating', 'difference'], rows),
  );
}
