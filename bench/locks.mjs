// What row locks cost when two replicas contend for them: the same calls spread over many rows, then all on one.
import autocannon from 'autocannon';
import { withDatabase } from './database.mjs';
import { median } from './measure.mjs';
import { machine, number, report, table } from './report.mjs';
import { provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SECONDS = 2;
const CONNECTIONS = 16;
const TENANTS = 20;

async function graphql(url, authorization, query) {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Calls a second of both replicas together. */
async function rate(servers, make) {
  const rounds = servers.map(({ url }) => {
    let n = 0;
    return autocannon({
      url,
      connections: CONNECTIONS,
      duration: SECONDS,
      verifyBody: (body) => body.startsWith('{"ok":true') || body.startsWith('{"data":{"issueCreate"'),
      requests: [
        {
          setupRequest: (template) => {
            const { path, authorization, body } = make(n++);
            return {
              ...template,
              method: 'POST',
              path,
              headers: { 'content-type': 'application/json', authorization },
              body: JSON.stringify(body),
            };
          },
        },
      ],
    });
  });
  let sum = 0;
  for (const result of await Promise.all(rounds)) {
    if (result.non2xx + result.errors + result.mismatches > 0) throw new Error('a round failed');
    sum += result['2xx'] / result.duration;
  }
  return sum;
}

export async function locks() {
  await withDatabase(async (databaseUrl) => {
    const servers = [
      await start('dist/server/main.js', { DATABASE_URL: databaseUrl }),
      await start('dist/server/main.js', { DATABASE_URL: databaseUrl }),
    ];
    const tenants = [];
    for (let i = 0; i < TENANTS; i++) {
      const made = await provision(servers[0].url, {
        team: { name: `Locks ${i}` },
        channels: Array.from({ length: 10 }, (_, j) => ({ name: `channel-${j}` })),
      });
      const key = made.tracker.api_key;
      const { teams } = await graphql(servers[0].url, key, '{ teams { nodes { id } } }');
      tenants.push({
        bot: `Bearer ${made.bot_token}`,
        channels: made.channels.map(({ id }) => id),
        key,
        team: teams.nodes[0].id,
      });
    }
    const [first] = tenants;
    const post = (tenant, channel) => ({
      path: '/api/chat.postMessage',
      authorization: tenant.bot,
      body: { channel, text: 'a message of the bench' },
    });
    const create = (tenant) => ({
      path: '/graphql',
      authorization: tenant.key,
      body: {
        query: 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id number } } }',
        variables: { input: { teamId: tenant.team, title: 'an issue of the bench' } },
      },
    });
    const of = (n) => tenants[n % TENANTS];
    const rows = [
      {
        lock: 'rate-limit row (auth.test: one token against 20)',
        spread: (n) => ({ path: '/api/auth.test', authorization: of(n).bot, body: {} }),
        hot: () => ({ path: '/api/auth.test', authorization: first.bot, body: {} }),
      },
      {
        lock: 'conversation row (chat.postMessage: one channel against 10 of one workspace)',
        spread: (n) => post(first, first.channels[n % 10]),
        hot: () => post(first, first.channels[0]),
      },
      {
        lock: 'organization and team row (issueCreate: one organization against 20)',
        spread: (n) => create(of(n)),
        hot: () => create(first),
      },
    ].map((row) => ({ ...row, rates: { spread: [], hot: [] } }));
    for (let i = 0; i <= ROUNDS; i++) {
      for (const { rates, ...row } of rows) {
        for (const kind of ['spread', 'hot']) {
          const value = await rate(servers, row[kind]);
          if (i > 0) rates[kind].push(value); // the first round warms up
        }
      }
    }
    await Promise.all(servers.map((server) => server.stop()));
    report(
      'Locks',
      `${machine()}; two replicas on one PostgreSQL, ${CONNECTIONS} connections each, medians of ${ROUNDS} interleaved rounds of ${SECONDS} s: the same calls spread over many rows, and all at one.\n\n\`DATABASE_URL=… npm run bench -- locks --write\`\n\n` +
        table(
          ['', 'spread, calls/s', 'at one row, calls/s', 'ratio'],
          rows.map(({ lock, rates }) => {
            const [spread, hot] = [median(rates.spread), median(rates.hot)];
            return [lock, number(spread), number(hot), (hot / spread).toFixed(2)];
          }),
        ),
    );
  });
}
