// What the tracker costs that integrations use: an issue with all that hangs on it, an inbox of ten thousand, how soon an
// agent hears of a mention and a watcher of an activity, what history and notifications add to an update, and how soon a
// board of 500 issues is painted. On the embedded database and, with DATABASE_URL, on PostgreSQL.
// `--against=FOLDER`: beside a server that was built in that folder, in short rounds by turns.
// `--only=times,board,against` and `--on=embedded` or `--on=postgresql` measure a part.
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { LinearClient } from '@linear/sdk';
import { onEach, withDatabase } from './database.mjs';
import { cpuSeconds, median, round } from './measure.mjs';
import { machine, number, report, table, verdict } from './report.mjs';
import { call, create, own, timed } from './sandbox-client.mjs';
import { provision, start } from './servers.mjs';
import { openBrowser } from './ui/page.mjs';

const quick = process.argv.includes('--quick');
const flag = (name) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const [only, on, against] = [flag('only')?.split(','), flag('on'), flag('against')];
const isWanted = (part) => only === undefined || only.includes(part);

const AGAIN = quick ? 5 : 100;
const HEARD = quick ? 3 : 30;
const NOTIFIED = quick ? 500 : 10_000;
const BOARD = quick ? 50 : 500;
const PAINTED = quick ? 2 : 15;
/** Issues in a batch, at most. */
const BATCH = 50;
const TURNS = Number(flag('turns') ?? (quick ? 1 : 9));

/** The answer of the tracker. @throws with the errors that it has */
async function ask(url, authorization, query, variables = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors).slice(0, 300));
  return data;
}

const WHOLE = `query ($id: String!) { issue(id: $id) { id identifier title description priority url branchName createdAt updatedAt
  state { id name type color } team { id key } assignee { id name } delegate { id name } project { id name }
  labels { nodes { id name color } }
  relations { nodes { id type relatedIssue { id identifier title state { name type } } } }
  inverseRelations { nodes { id type issue { id identifier title state { name type } } } }
  attachments { nodes { id title subtitle url metadata sourceType } }
  comments { nodes { id body createdAt user { id name } } }
  agentSessions { nodes { id status createdAt appUser { id name } activities { nodes { id createdAt content { __typename } } } } } } }`;
const INBOX = `query { notifications(first: 50) { nodes { id type readAt createdAt title subtitle url actor { id name }
  ... on IssueNotification { issue { id identifier title team { key } } comment { id body } } } pageInfo { hasNextPage endCursor } } }`;
const UPDATE = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success lastSyncId } }`;

/** Requests that an application gets, and a wait for the next one of a kind. */
async function receiver() {
  const waiting = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const at = performance.now();
      response.end();
      for (const one of waiting.splice(0)) if (!one(body, at)) waiting.push(one);
    });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** When the next request came that has these words, as `performance.now()` says it. */
    next: (words) => new Promise((resolve) => waiting.push((body, at) => body.includes(words) && (resolve(at), true))),
    close: () => server.close(),
  };
}

/** A sandbox with a team, an agent and an issue on which much hangs. */
async function makeSandbox(url, hook) {
  const others = Array.from({ length: 10 }, (_, n) => ({ ref: `other ${n}`, title: `Other ${n}` }));
  const keys = [0, 1].map(() => `svc_api_${crypto.randomUUID()}`);
  const made = await create(url, {
    name: 'bench',
    users: [
      { name: 'alice', api_key: keys[0] },
      { name: 'bob', api_key: keys[1] },
    ],
    tracker: {
      teams: [
        {
          key: 'ENG',
          name: 'Engineering',
          labels: [
            { name: 'Bug', color: '#eb5757' },
            { name: 'API', color: '#4ea7fc' },
          ],
          issues: [
            ...others,
            {
              title: 'Fix login',
              description: 'It **fails**.',
              assignee: 'alice',
              labels: ['Bug', 'API'],
              relations: others.map(({ ref }, n) => ({ type: n % 2 ? 'blocks' : 'related', issue: ref })),
              attachments: others.map((_, n) => ({
                url: `https://ci.example/${n}`,
                title: `Run ${n}`,
                metadata: { n },
              })),
              comments: others.map((_, n) => ({ as: 'bob', body: `Comment ${n}` })),
            },
          ],
        },
      ],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://app.example/'],
          webhook_url: hook,
          webhook_resource_types: ['AgentSessionEvent'],
          installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
        },
      ],
    },
  });
  const { credentials } = made;
  return {
    made,
    alice: keys[0],
    bob: keys[1],
    agent: `Bearer ${credentials.tracker_apps.helper.access_token}`,
  };
}

/** Entries of a timeline as they come: when the next one came that has these words. */
async function watch(url, made) {
  const aborted = new AbortController();
  const response = await fetch(`${url}/api/sandboxes/self/timeline/stream?after=now&view=summary`, {
    headers: own(made),
    signal: aborted.signal,
  });
  let waiting = null;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      const text = decoder.decode(chunk, { stream: true });
      if (waiting && text.includes(waiting.words)) {
        waiting.resolve(performance.now());
        waiting = null;
      }
    }
  })().catch(() => undefined);
  return {
    next: (words) => new Promise((resolve) => (waiting = { words, resolve })),
    close: async () => {
      aborted.abort();
      await reading;
    },
  };
}

/** An activity of an agent. */
const say = (url, agent, agentSessionId, body) =>
  ask(url, agent, 'mutation ($input: AgentActivityCreateInput!) { agentActivityCreate(input: $input) { success } }', {
    input: { agentSessionId, content: { type: 'thought', body } },
  });

/** Calls one after the other, once V8 has compiled what they run: their median in ms, and what CPU of the server one takes. */
async function repeated(server, count, work) {
  for (let n = 0; n < count; n++) await work(n);
  const took = [];
  const before = cpuSeconds(server.pid);
  for (let n = 0; n < count; n++) await timed(took, () => work(n));
  return { value: median(took), cpu: ((cpuSeconds(server.pid) - before) / count) * 1_000 };
}

/** The figures of one call after the other. */
async function times(database, add) {
  const hook = await receiver();
  const server = await start('dist/server/main.js', database);
  try {
    const { url } = server;
    const { made, alice, bob, agent } = await makeSandbox(url, hook.url);
    const { teams, users, issue } = await ask(
      url,
      alice,
      'query { teams { nodes { id } } users { nodes { id name } } issue(id: "ENG-11") { id } }',
    );
    const teamId = teams.nodes[0].id;
    const aliceId = users.nodes.find(({ name }) => name === 'alice').id;

    for (const turn of [0, 1]) {
      const input = { issueId: issue.id };
      const begun = await ask(
        url,
        agent,
        'mutation ($input: AgentSessionCreateOnIssue!) { agentSessionCreateOnIssue(input: $input) { agentSession { id } } }',
        { input },
      );
      for (let n = 0; n < 10; n++)
        await say(url, agent, begun.agentSessionCreateOnIssue.agentSession.id, `${turn} ${n}`);
    }

    const { relations, attachments, agentSessions } = (await ask(url, alice, WHOLE, { id: 'ENG-11' })).issue;
    if (relations.nodes.length !== 10 || attachments.nodes.length !== 10 || agentSessions.nodes.length !== 2)
      throw new Error('the issue is not whole');
    const read = await repeated(server, AGAIN, () => ask(url, alice, WHOLE, { id: 'ENG-11' }));
    add('issue(id) with 10 relations, 10 attachments, 10 comments, 2 sessions', read, 12);

    // by turns, as the machine does more at one time than at another
    const [plain, changed] = [[], []];
    for (let n = 0; n < 2 * AGAIN; n++) {
      await timed(plain, () => ask(url, bob, UPDATE, { id: issue.id, input: { sortOrder: n } }));
      const input = { priority: 1 + (n % 4), assigneeId: n % 2 ? aliceId : null };
      await timed(changed, () => ask(url, bob, UPDATE, { id: issue.id, input }));
    }
    add('issueUpdate that leaves neither history nor a notification', { value: median(plain) }, null);
    add('issueUpdate of priority and assignee, with history and notifications', { value: median(changed) }, null);
    add('the second over the first', { value: median(changed) / median(plain) }, 1.3, '');

    const heard = [];
    for (let n = 0; n < HEARD; n++) {
      const words = `please look ${n}.`;
      const told = hook.next(words);
      const begun = performance.now();
      await ask(url, alice, 'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
        input: { issueId: issue.id, body: `@helper ${words}` },
      });
      heard.push((await told) - begun);
    }
    add('a comment with a mention → its AgentSessionEvent', { value: median(heard) }, 100);

    const { agentSessions: sessions } = await ask(url, agent, 'query { agentSessions(first: 1) { nodes { id } } }');
    const stream = await watch(url, made);
    const seen = [];
    for (let n = 0; n < HEARD; n++) {
      const told = stream.next('agentActivity.created');
      const begun = performance.now();
      await say(url, agent, sessions.nodes[0].id, `Thinking ${n}`);
      seen.push((await told) - begun);
    }
    await stream.close();
    add('an activity → its entry in the stream of the timeline', { value: median(seen) }, 100);

    for (let made = 0; made < NOTIFIED; made += BATCH) {
      const issues = Array.from({ length: BATCH }, (_, n) => ({
        teamId,
        title: `Task ${made + n}`,
        assigneeId: aliceId,
      }));
      await ask(url, bob, 'mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }', {
        input: { issues },
      });
    }
    const { notificationsUnreadCount: count } = await ask(url, alice, 'query { notificationsUnreadCount }');
    const inbox = await repeated(server, AGAIN, () => ask(url, alice, INBOX));
    add(`notifications(first: 50) of ${number(count)}`, inbox, 15);
    const client = new LinearClient({ apiKey: alice, apiUrl: `${url}/graphql` });
    const bySdk = await repeated(server, AGAIN, () => client.notifications({ first: 50 }));
    add('the same as the client library asks and reads it', bySdk, null);
  } finally {
    await server.stop();
    hook.close();
  }
}

/** From a click to the painted board, in a browser that has the page open; and from an address to it. */
async function board(database, add) {
  const browser = await openBrowser();
  if (!browser) return console.error('no Chromium found: the board is left out');
  const server = await start('dist/server/main.js', { ...database, SVC_MODE: 'full' });
  try {
    const issues = Array.from({ length: BOARD }, (_, n) => ({
      title: `Issue ${n}`,
      state: ['Backlog', 'Todo', 'In Progress', 'Done', 'Canceled'][n % 5],
      priority: n % 5,
      ...(n % 3 === 0 ? {} : { assignee: 'alice' }),
    }));
    const made = await create(server.url, {
      users: ['alice'],
      tracker: { teams: [{ key: 'ENG', issues }, { key: 'OPS' }] },
    });
    const to = `/w/${made.team_id}/t/OPS`;
    const { url } = await call(server.url, 'POST', '/api/sandboxes/self/ui-link', own(made), { to }, 201);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    const [opened, loaded] = [[], []];
    const address = to.replace('OPS', 'ENG?view=board');
    for (let n = 0; n < PAINTED; n++) {
      await page.getByText('No issues yet.').waitFor();
      opened.push(await page.evaluate(paintedAfter, address));
      const begun = performance.now();
      await page.goto(server.url + address);
      await page.locator('[data-issue]').nth(20).waitFor();
      loaded.push(performance.now() - begun);
      await page.goto(server.url + to);
    }
    add(`a board of ${BOARD} issues painted, from a press on its link`, { value: median(opened) }, 1_000);
    add('the same by its address, the whole page loaded', { value: median(loaded) }, null);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** In the page: goes to an address and says after how many ms its cards were painted. */
async function paintedAfter(address) {
  const begun = performance.now();
  history.pushState(null, '', address);
  await new Promise((painted) => {
    const look = () => {
      if (document.querySelectorAll('[data-issue]').length > 20) requestAnimationFrame(() => setTimeout(painted));
      else requestAnimationFrame(look);
    };
    look();
  });
  return performance.now() - begun;
}

const PAGE = `query { issues(first: 50) { nodes { id identifier number title priority createdAt updatedAt
  state { id name type color } assignee { id name email displayName } labels { nodes { id name color } } }
  pageInfo { hasNextPage endCursor } } }`;
const CREATE = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success lastSyncId issue { id identifier title state { id name } } } }`;

/** Calls a second of this build over those of another, in rounds by turns. */
async function compared(database, add) {
  if (!database.DATABASE_URL) return inTurns(database, database, add);
  // two servers of different versions cannot share a database
  await withDatabase((url) => inTurns(database, { ...database, DATABASE_URL: url }, add));
}

async function inTurns(database, other, add) {
  const servers = [];
  try {
    servers.push(await start('dist/server/main.js', database));
    servers.push(await start(join(against, 'dist/server/main.js'), other));
    const tenants = [];
    for (const { url } of servers) {
      const made = await provision(url, { team: { name: 'Bench' }, users: [{ name: 'user' }] });
      const key = made.tracker.api_key;
      const { teams } = await ask(url, key, 'query { teams { nodes { id } } }');
      const teamId = teams.nodes[0].id;
      for (let n = 0; n < 400; n += BATCH) {
        const issues = Array.from({ length: BATCH }, (_, i) => ({ teamId, title: `Issue ${n + i}` }));
        await ask(
          url,
          key,
          'mutation ($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }',
          {
            input: { issues },
          },
        );
      }
      tenants.push({ key, teamId });
    }
    const calls = {
      'issues(first: 50)': () => ({ query: PAGE }),
      issueCreate: ({ teamId }, n) => ({ query: CREATE, variables: { input: { teamId, title: `Made ${n}` } } }),
    };
    for (const [name, body] of Object.entries(calls)) {
      const ratios = [];
      const rates = [[], []];
      const spent = [[], []];
      for (let turn = -1; turn < TURNS; turn++) {
        const now = [];
        // who goes first changes, as the machine does
        for (const at of turn % 2 ? [0, 1] : [1, 0]) {
          const { rate, cpuMicros } = await round(servers[at], {
            connections: 8,
            seconds: 1,
            accepted: (text) => text.startsWith('{"data":{') && !text.includes('"errors"'),
            request: ({ n }) => ({
              path: '/graphql',
              headers: { authorization: tenants[at].key },
              body: body(tenants[at], n),
            }),
          });
          now[at] = rate;
          if (turn >= 0) spent[at].push(cpuMicros / 1_000);
        }
        if (turn < 0) continue; // V8 compiles
        ratios.push(now[0] / now[1]);
        rates.forEach((all, at) => all.push(now[at]));
      }
      const words = `${name}: calls/s over before (${number(median(rates[1]))}, ${number(median(spent[1]))} ms CPU)`;
      add(words, { value: median(ratios), cpu: median(spent[0]) }, 0.97, '', true);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function section(title, database) {
  const rows = [];
  const add = (what, { value, cpu }, bar, unit = ' ms', isLeast = false) => {
    const isMet = bar === null || (isLeast ? value >= bar : value <= bar);
    const words = bar === null ? ['–', ''] : [`${isLeast ? '≥' : '≤'} ${bar}${unit}`, verdict(isMet)];
    const took = cpu === undefined ? '' : number(cpu);
    rows.push([what, `${number(value)}${unit}`, ...words, took, loadavg()[0].toFixed(1)]);
    console.error(`${title}: ${rows.at(-1).join(' | ')}`);
  };
  if (isWanted('times')) await times(database, add);
  if (isWanted('board')) await board(database, add);
  if (against !== undefined && isWanted('against')) await compared(database, add);
  return `### ${title}\n\n${table(['', 'median', 'bar', '', 'CPU of the server, ms', 'load'], rows)}`;
}

export async function trackerWide() {
  const parts = await onEach(on, section);
  report(
    'Tracker of integrations',
    `${machine()}. One call after the other, medians; the load is that of the machine in the minute before.\n\n\`DATABASE_URL=… npm run bench -- tracker-wide --write\`\n\n${parts.join('\n\n')}`,
  );
}
