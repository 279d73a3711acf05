// What an installation costs (docs/reference/installing.md): the consent page, the exchange of a code, and an installation
// in one call, one at a time. On the embedded database and, with DATABASE_URL, on PostgreSQL.
import { withDatabase } from './database.mjs';
import { median } from './measure.mjs';
import { machine, report, table } from './report.mjs';
import { call, create, own } from './sandbox-client.mjs';
import { start } from './servers.mjs';

const TIMES = process.argv.includes('--quick') ? 20 : 300;
const WARM_UP = process.argv.includes('--quick') ? 5 : 50;

/** Most of what each may take, in milliseconds. */
const TARGETS = { page: 20, exchange: 20, install: 40 };

async function measure(database, env) {
  const server = await start('dist/server/main.js', { SVC_METHODS: 'all', ...env });
  const scopes = { bot: ['chat:write', 'commands'], user: ['search:read'] };
  const redirect_urls = ['https://app.example/back'];
  const made = await create(server.url, {
    rate_limit_multiplier: 0,
    apps: [{ name: 'shop', scopes, redirect_urls, installed: false }],
  });
  const { client_id, client_secret } = made.credentials.apps.shop;
  const install = (more) =>
    call(server.url, 'POST', '/api/sandboxes/self/install', own(made), { app: 'shop', ...more }, 200);
  const steps = {
    page: async () => {
      const page = await fetch(`${server.url}/oauth/v2/authorize?${new URLSearchParams({ client_id })}`);
      if (!(await page.text()).includes('asks for access')) throw new Error(`the page: ${page.status}`);
    },
    exchange: async (code) => {
      const body = new URLSearchParams({ client_id, client_secret, code });
      const answer = await (await fetch(`${server.url}/api/oauth.v2.access`, { method: 'POST', body })).json();
      if (!answer.ok) throw new Error(`oauth.v2.access: ${answer.error}`);
    },
    install: () => install({ exchange: true }),
  };
  const times = { page: [], exchange: [], install: [] };
  for (let n = -WARM_UP; n < TIMES; n++) {
    for (const [name, step] of Object.entries(steps)) {
      const code = name === 'exchange' ? (await install({ follow: false })).code : undefined;
      const begun = performance.now();
      await step(code);
      if (n >= 0) times[name].push(performance.now() - begun);
    }
  }
  await server.stop();
  return Object.entries(times).map(([name, all]) => [
    database,
    { page: 'the consent page', exchange: 'oauth.v2.access', install: 'install with exchange' }[name],
    `${median(all).toFixed(1)} ms`,
    `${TARGETS[name]} ms`,
  ]);
}

export async function installing() {
  const rows = await measure('embedded', { SVC_DATA_DIR: 'memory' });
  if (process.env.DATABASE_URL) {
    await withDatabase(async (url) => rows.push(...(await measure('PostgreSQL', { DATABASE_URL: url }))));
  }
  report(
    'Installing',
    `${machine()}; medians of ${TIMES}, one at a time.\n\n\`npm run bench -- installing --write\`\n\n` +
      table(['database', 'step', 'median', 'target'], rows),
  );
}
