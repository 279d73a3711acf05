import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { eventually } from '../support/receiver.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
const DUE = 12;
const DOCUMENT = {
  users: ['alice', 'bob'],
  tracker: {
    teams: [
      {
        key: 'ENG',
        issues: [
          { title: 'One', ref: 'one' },
          { title: 'Two', ref: 'two' },
          ...Array.from({ length: DUE }, (_, n) => ({ title: `Due ${n}`, ref: `due-${n}` })),
        ],
      },
    ],
    projects: [{ name: 'Q1', teams: ['ENG'] }],
    initiatives: [{ name: 'Grow' }],
    apps: [
      {
        name: 'helper',
        redirect_uris: ['https://app.example/'],
        webhook_url: 'http://127.0.0.1:9/',
        webhook_resource_types: ['AgentSessionEvent'],
        installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
      },
    ],
  },
};

/**
 * What several callers make at once is there once, and what is due happens once, whichever process they reach
 * (docs/reference/tracker.md#issuerelation, #favorite, #files, docs/reference/tracker-agents.md#states,
 * docs/reference/tracker-notifications.md#reminders).
 */
describe.skipIf(serverUrl === undefined)(`two processes of the tracker${onPostgres}`, { timeout: 240_000 }, () => {
  let env: Record<string, string>;
  let servers: ServerProcess[];
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    env = {
      DATABASE_URL: database.url,
      SVC_ADMIN_TOKEN: OPERATOR['x-admin-token'],
      SVC_RATE_LIMIT_MULTIPLIER: '0',
    };
    const first = await ServerProcess.start(env);
    servers = [first, await ServerProcess.start(env)];
  }, 300_000);

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await drop();
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- the specs read deep into answers
  type Answer = any;
  const at = (n: number): ServerProcess => servers[n % servers.length] as ServerProcess;
  const send = async (
    n: number,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> => {
    const response = await fetch(`${at(n).baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: Answer = await response.json();
    // a refusal of GraphQL's is for the caller to judge
    if (path !== '/graphql') expect(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`).toBe(true);
    return answer;
  };
  const sandbox = async () => {
    const { credentials } = await send(0, 'POST', '/api/sandboxes', OPERATOR, DOCUMENT);
    const key = { authorization: String(credentials.api_key) };
    const ctl = { 'x-sandbox-token': String(credentials.control_token) };
    const data = async (n: number, query: string): Promise<Answer> => {
      const answer = await send(n, 'POST', '/graphql', key, { query });
      expect(answer.errors, JSON.stringify(answer.errors)).toBeUndefined();
      return answer.data;
    };
    const idOf = (ref: string): string => credentials.refs[ref].id;
    const control = (n: number, method: string, path: string, body?: object): Promise<Answer> =>
      send(n, method, `/api/sandboxes/self${path}`, ctl, body);
    const events = async (n: number, name: string): Promise<Answer[]> => {
      const { entries } = await control(n, 'GET', '/timeline?kind=event&limit=1000');
      return entries.filter(({ event }: { event: string }) => event === name);
    };
    return { credentials, key, control, data, idOf, events };
  };
  // two for each process; more would wait for each other beyond the two seconds that a lock is waited for on a busy machine
  const callers = [0, 1, 2, 3];

  it('make one relation of a pair, one attachment of a url, one reaction, one favorite, whoever is first', async () => {
    const { data, idOf, key, control } = await sandbox();
    const [one, two] = [idOf('one'), idOf('two')];
    const pairOf = (n: number): string =>
      n % 4 < 2 ? `issueId: "${one}", relatedIssueId: "${two}"` : `issueId: "${two}", relatedIssueId: "${one}"`;
    const tomorrow = Date.now() + 86_400_000;
    const mutations: ((n: number) => string)[] = [
      (n) => `issueRelationCreate(input: { ${pairOf(n)}, type: related }) { made: issueRelation { id } }`,
      (n) =>
        `attachmentCreate(input: { issueId: "${one}", url: "https://a.example/ticket", title: "T${n}" }) { made: attachment { id } }`,
      () => `attachmentLinkURL(issueId: "${two}", url: "https://a.example/page") { made: attachment { id } }`,
      () => `reactionCreate(input: { issueId: "${one}", emoji: "tada" }) { made: reaction { id } }`,
      (n) => `favoriteCreate(input: { issueId: "${one}", sortOrder: ${n} }) { made: favorite { id } }`,
      () => 'favoriteCreate(input: { predefinedViewType: "active" }) { made: favorite { id } }',
      () => 'customerUpsert(input: { name: "Acme", externalId: "crm-1" }) { made: customer { id } }',
      (n) =>
        `issueReminder(id: "${one}", reminderAt: "${new Date(tomorrow + n).toISOString()}") { made: issue { id } }`,
    ];
    for (const mutation of mutations) {
      const made = await Promise.all(callers.map((n) => data(n, `mutation { one: ${mutation(n)} }`)));
      expect(new Set(made.map(({ one: { made: row } }) => row.id)).size, mutation(0)).toBe(1);
    }
    const { initiatives, projects } = await data(0, '{ initiatives { nodes { id } } projects { nodes { id } } }');
    const pair = `initiativeId: "${initiatives.nodes[0].id}", projectId: "${projects.nodes[0].id}"`;
    const linked = await Promise.all(
      callers.map((n) =>
        send(n, 'POST', '/graphql', key, {
          query: `mutation { initiativeToProjectCreate(input: { ${pair} }) { success } }`,
        }),
      ),
    );
    // the others are told that it is there
    expect(linked.filter(({ errors }) => errors === undefined)).toHaveLength(1);
    for (const { errors } of linked) if (errors) expect(errors[0].message).toContain('duplicate initiative project');
    await control(1, 'PUT', '/clock', { now: new Date(tomorrow + 60_000).toISOString() });
    const told = async (n: number): Promise<unknown[]> =>
      (await data(n, '{ notifications { nodes { type } } }')).notifications.nodes;
    await eventually(async () => (await told(0)).length > 0, 'the reminder', 60_000);
    for (const n of [0, 1]) {
      const found = await data(
        n,
        `{ issue(id: "${one}") { relations { nodes { id } } inverseRelations { nodes { id } } attachments { nodes { id } } reactions { id } }
           favorites { nodes { type } } customers { nodes { name } } initiativeToProjects { nodes { id } } }`,
      );
      const { issue, favorites, customers, initiativeToProjects } = found;
      expect([
        issue.relations.nodes.length + issue.inverseRelations.nodes.length,
        issue.attachments.nodes.length,
        issue.reactions.length,
        customers.nodes.length,
        initiativeToProjects.nodes.length,
      ]).toEqual([1, 1, 1, 1, 1]);
      expect(favorites.nodes.map(({ type }: { type: string }) => type).sort()).toEqual(['issue', 'predefinedView']);
      expect(await told(n)).toEqual([{ type: 'issueReminder' }]);
    }
  });

  it('take a file that was announced by the other, and open it with a signature of the other', async () => {
    const { data, key } = await sandbox();
    const upload =
      'fileUpload(contentType: "text/plain", filename: "a.txt", size: 5) { uploadFile { uploadUrl assetUrl } }';
    const { uploadFile } = (await data(0, `mutation { ${upload} }`)).fileUpload;
    const elsewhere = (url: string): string => {
      expect(url.startsWith(at(0).baseUrl)).toBe(true);
      return url.replace(at(0).baseUrl, at(1).baseUrl);
    };
    const put = await fetch(elsewhere(uploadFile.uploadUrl), {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect(put.status).toBe(200);
    for (const url of [uploadFile.assetUrl, elsewhere(uploadFile.assetUrl)]) {
      const answer = await fetch(url, { headers: key });
      expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
    }
    const query = `mutation { issueCreate(input: { teamId: "ENG", title: "See", description: "${uploadFile.assetUrl}" }) { issue { description } } }`;
    const { teams } = await data(0, '{ teams { nodes { id } } }');
    const headers = { ...key, 'public-file-urls-expire-in': '60' };
    const made = await send(0, 'POST', '/graphql', headers, {
      query: query.replace('"ENG"', `"${teams.nodes[0].id}"`),
    });
    const signed: string = made.data.issueCreate.issue.description;
    expect(signed).toContain('?signature=');
    expect(await (await fetch(elsewhere(signed))).text()).toBe('hello');
  });

  it('do what is due once, also when one of them is killed around that time', async () => {
    const { data, idOf, credentials, events, control } = await sandbox();
    type Told = { id: string; type: string; unsnoozedAt: string | null };
    const reminders = async (n: number): Promise<Told[]> => {
      const { notifications } = await data(n, '{ notifications(first: 50) { nodes { id type unsnoozedAt } } }');
      return notifications.nodes.filter(({ type }: Told) => type === 'issueReminder');
    };
    /** Lets the clock run from shortly before that moment, and kills a process. */
    const killBefore = async (moment: Date, n: 0 | 1): Promise<void> => {
      const now = new Date(moment.getTime() - 300).toISOString();
      await control(n, 'PUT', '/clock', { now, frozen: false });
      await at(n).kill('SIGKILL');
    };
    // while the clock stands still nothing becomes due, however slow the machine is
    const start = Date.now() + 3_600_000;
    await control(0, 'PUT', '/clock', { now: new Date(start).toISOString(), frozen: true });
    const helper: string = credentials.tracker_apps.helper.app_user_id;
    await data(0, `mutation { issueUpdate(id: "${idOf('two')}", input: { delegateId: "${helper}" }) { success } }`);
    const due = new Date(start + 10_000); // when an agent without a word is unresponsive, too
    await Promise.all(
      Array.from({ length: DUE }, (_, n) =>
        data(
          n,
          `mutation { issueReminder(id: "${idOf(`due-${n}`)}", reminderAt: "${due.toISOString()}") { success } }`,
        ),
      ),
    );
    expect(await reminders(1)).toEqual([]);
    await killBefore(due, 0);
    const isUnresponsive = async (): Promise<boolean> => (await events(1, 'agentSession.unresponsive')).length > 0;
    await eventually(async () => (await reminders(1)).length > 0 && (await isUnresponsive()), 'what is due', 60_000);
    servers[0] = await ServerProcess.start(env);

    await control(0, 'PUT', '/clock', { frozen: true });
    const until = new Date(Date.parse((await control(0, 'GET', '/clock')).now) + 10_000);
    await Promise.all(
      (await reminders(0)).map(({ id }, n) =>
        data(
          n,
          `mutation { notificationUpdate(id: "${id}", input: { snoozedUntilAt: "${until.toISOString()}" }) { success } }`,
        ),
      ),
    );
    await killBefore(until, 1);
    const isOver = async (): Promise<boolean> => (await reminders(0)).every(({ unsnoozedAt }) => unsnoozedAt !== null);
    await eventually(isOver, 'the end of the snoozes', 60_000);
    servers[1] = await ServerProcess.start(env);

    const later = new Date(start + 45 * 60_000).toISOString();
    await Promise.all([0, 1].map((n) => control(n, 'PUT', '/clock', { now: later, frozen: true })));
    await eventually(async () => (await events(1, 'agentSession.updated')).length > 0, 'a stale session', 60_000);
    for (const n of [0, 1]) {
      expect(await reminders(n)).toHaveLength(DUE);
      expect(await events(n, 'agentSession.unresponsive')).toHaveLength(1);
      expect(
        (await events(n, 'agentSession.updated')).map(
          ({
            data: {
              data: { status },
            },
          }) => status,
        ),
      ).toEqual(['stale']);
      const made = (await events(n, 'notification.created')).map(({ data: { data: told } }) => told);
      expect(made.filter(({ type }) => type === 'issueReminder')).toHaveLength(DUE);
      // the application's user is told of the issue that it was given
      expect(made.filter(({ type }) => type !== 'issueReminder')).toMatchObject([
        { type: 'issueAssignedToYou', userId: helper },
      ]);
      // the snooze is one change, its end another
      expect(await events(n, 'notification.updated')).toHaveLength(2 * DUE);
    }
  });

  it('make a session unresponsive and stale once where both advance its clock', async () => {
    const { data, idOf, credentials, events, control } = await sandbox();
    const now = new Date(Date.now() + 3_600_000).toISOString();
    await control(0, 'PUT', '/clock', { now, frozen: true });
    const helper: string = credentials.tracker_apps.helper.app_user_id;
    await data(0, `mutation { issueUpdate(id: "${idOf('one')}", input: { delegateId: "${helper}" }) { success } }`);
    await Promise.all([0, 1].map((n) => control(n, 'POST', '/clock/advance', { by: '31m' })));
    const status = async (n: number): Promise<string> =>
      (await data(n, '{ agentSessions { nodes { status } } }')).agentSessions.nodes[0].status;
    await eventually(async () => (await status(1)) === 'stale', 'a stale session', 60_000);
    expect(await status(0)).toBe('stale');
    expect(await events(1, 'agentSession.unresponsive')).toHaveLength(1);
    expect(await events(0, 'agentSession.updated')).toHaveLength(1);
  });
});
