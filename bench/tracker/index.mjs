// The tracker against a hand-written graphql-js and pg server on one PostgreSQL, in interleaved rounds.
import pg from 'pg';
import { withDatabase } from '../database.mjs';
import { medians, round } from '../measure.mjs';
import { machine, number, report, table } from '../report.mjs';
import { provision, start } from '../servers.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SECONDS = 2;
const SIZES = quick ? [1000, 5000, 20_000] : [1000, 50_000, 500_000];

const PAGE = `query ($first: Int, $filter: IssueFilter) { issues(first: $first, filter: $filter) { nodes { id identifier number title priority createdAt updatedAt
  state { id name type color } assignee { id name email displayName } labels { nodes { id name color } } } pageInfo { hasNextPage endCursor } } }`;
const CREATE = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success lastSyncId issue { id identifier title state { id name } } } }`;

/** A tenant with `count` issues that use its states, assignees and labels evenly. */
async function tenant(url, client, count) {
  const made = await provision(url, {
    team: { name: `Bench ${count}` },
    users: Array.from({ length: 10 }, (_, i) => ({ name: `user${i}` })),
  });
  const key = made.tracker.api_key;
  const graphql = (query) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: key },
      body: JSON.stringify({ query }),
    })
      .then((r) => r.json())
      .then(({ data, errors }) => data ?? Promise.reject(new Error(JSON.stringify(errors))));
  for (let i = 0; i < 8; i++) await graphql(`mutation { issueLabelCreate(input: { name: "label ${i}" }) { success } }`);
  const { organization, teams } = await graphql(`
    {
      organization {
        id
      }
      teams {
        nodes {
          id
        }
      }
    }
  `);
  const team = teams.nodes[0].id;
  await client.query(
    `INSERT INTO issues (id, organization_id, team_id, number, identifier, title, priority, state_id, assignee_id, creator_id, label_ids,
       sort_order, priority_sort_order, added_to_team_at, created_at, updated_at)
     SELECT gen_random_uuid(), $1, $2, g, 'ENG-' || g, 'Issue number ' || g || ' of the bench', g % 5, states.list[1 + g % cardinality(states.list)],
       CASE WHEN g % 3 = 0 THEN NULL ELSE users.list[1 + g % cardinality(users.list)] END, users.list[1],
       labels.list[1 + g % 8 : 1 + g % 8 + g % 2], -100 * g, -100 * g, now(), at, at
     FROM generate_series(1, $3::int) g, LATERAL (SELECT (now() - ($3::int - g) * interval '1 second')::timestamptz(3) AS at) moment,
       (SELECT array_agg(id) AS list FROM workflow_states WHERE team_id = $2) states,
       (SELECT array_agg(id) AS list FROM tracker_users WHERE organization_id = $1) users,
       (SELECT array_agg(id) AS list FROM issue_labels WHERE organization_id = $1) labels`,
    [organization.id, team, count],
  );
  await client.query(`UPDATE teams SET issue_counter = $2 WHERE id = $1`, [team, count]);
  return { key, team };
}

const ask = (t, query, variables) => ({
  path: '/graphql',
  headers: { authorization: t.key },
  body: { query, variables },
});
const accepted = (body) => body.startsWith('{"data":{') && !body.includes('"errors"');
const figures = (m) => [number(m.rate), number(m.p50), number(m.p99), number(m.cpuMicros)];

export async function tracker() {
  await withDatabase(async (databaseUrl) => {
    const ours = await start('dist/server/main.js', { DATABASE_URL: databaseUrl });
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const tenants = [];
    for (const size of SIZES) tenants.push(await tenant(ours.url, client, size));
    await client.query('VACUUM ANALYZE');
    await client.end();
    const rival = await start('bench/tracker/baseline.mjs', { DATABASE_URL: databaseUrl });

    const scenarios = [
      ...SIZES.map((size, i) => ({
        name: `issues(first: 50) of ${number(size)}`,
        target: 1,
        request: () => ask(tenants[i], PAGE, { first: 50 }),
      })),
      {
        name: `issues(first: 50), filtered, of ${number(SIZES[1])}`,
        target: 1,
        request: () =>
          ask(tenants[1], PAGE, {
            first: 50,
            filter: { state: { type: { eq: 'started' } }, team: { key: { eq: 'ENG' } } },
          }),
      },
      {
        name: 'issueCreate',
        target: 0.8,
        request: ({ n }) =>
          ask(tenants[0], CREATE, { input: { teamId: tenants[0].team, title: `made by the bench ${n}` } }),
      },
    ];
    const rows = [];
    const cpu = [];
    for (const scenario of scenarios) {
      const options = { ...scenario, connections: 16, seconds: SECONDS, accepted };
      const measured = { ours: [], rival: [] };
      await round(ours, { ...options, seconds: 1 });
      await round(rival, { ...options, seconds: 1 });
      for (let i = 0; i < ROUNDS; i++) {
        measured.ours.push(await round(ours, options));
        measured.rival.push(await round(rival, options));
      }
      const a = medians(measured.ours);
      const b = medians(measured.rival);
      cpu.push(a.cpuMicros + a.postgresMicros);
      const ratio = a.rate / b.rate;
      rows.push([
        scenario.name,
        ...figures(a),
        number(b.rate),
        number(b.cpuMicros),
        ratio.toFixed(2),
        `${scenario.target} ${ratio >= scenario.target ? 'met' : 'missed'}`,
      ]);
      console.error(rows.at(-1).join(' | '));
    }
    await rival.stop();
    await ours.stop();
    report(
      'Tracker on PostgreSQL',
      `${machine()}; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s, 16 connections, nested state, assignee and labels. Baseline: Fastify, graphql-js and pg by hand (\`bench/tracker/baseline.mjs\`).\n\n\`DATABASE_URL=… npm run bench -- tracker --write\`\n\n` +
        table(
          ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs', 'baseline calls/s', 'baseline CPU µs', 'ratio', 'target'],
          rows,
        ) +
        `\n\nCPU of a page, server and database together, at ${number(SIZES[2])} issues over that at ${number(SIZES[0])}: ${(cpu[2] / cpu[0]).toFixed(2)} (target 1.2).`,
    );
  });
}
