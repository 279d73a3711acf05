import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

/** With what is made below, at least one row in every table that holds the content of sandboxes. */
const DOCUMENT = {
  users: ['alice', 'bob'],
  apps: [
    {
      name: 'deploy-bot',
      scopes: { bot: ['chat:write', 'channels:history', 'pins:write', 'files:write'] },
      event_subscriptions: { request_url: 'http://127.0.0.1:9/events', events: ['message'] },
      commands: [{ command: '/deploy', url: 'http://127.0.0.1:9/command' }],
    },
    {
      name: 'steps',
      manifest: { display_information: { name: 'steps' }, functions: { sum: { title: 'Add up' } } },
    },
  ],
  channels: [
    {
      name: 'ops',
      members: ['alice', 'bob', 'deploy-bot'],
      bookmarks: [{ title: 'Runbook', link: 'https://a.example/' }],
      messages: [
        { as: 'alice', text: 'root', ref: 'root', reactions: { tada: ['bob'] } },
        { as: 'bob', text: 'reply', thread: 'root' },
      ],
    },
  ],
  usergroups: [{ name: 'On call', users: ['alice'], channels: ['ops'] }],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'ops' }],
  outgoing_webhooks: [{ url: 'http://127.0.0.1:9/out' }],
  script: [{ at: 100_000, as: 'bob', do: { join: { channel: '#random' } } }],
  tracker: {
    teams: [
      {
        key: 'ENG',
        labels: [{ name: 'Bug' }],
        cycles: [{ starts_at: '2026-01-05', ends_at: '2026-01-19' }],
        issues: [
          {
            title: 'Fix',
            ref: 'fix',
            project: 'Q1',
            template: 'Bug',
            assignee: 'alice',
            comments: [{ as: 'bob', body: 'On it' }],
            reactions: { tada: ['bob'] },
            attachments: [{ url: 'http://127.0.0.1:9/ticket', title: 'Ticket' }],
          },
          { title: 'Part', relations: [{ issue: 'fix', type: 'blocks' }] },
        ],
      },
    ],
    project_labels: [{ name: 'Bet' }],
    initiative_labels: [{ name: 'Long' }],
    integrations: [{ service: 'github' }],
    external_users: [{ name: 'Ada' }],
    views: [{ name: 'Bugs', project: 'Q1', initiative: 'Grow' }],
    templates: [{ name: 'Bug', type: 'issue', template_data: { labelIds: [] } }],
    projects: [
      {
        name: 'Q1',
        teams: ['ENG'],
        lead: 'alice',
        members: ['bob'],
        milestones: [{ name: 'Alpha' }],
        attachments: [{ url: 'http://127.0.0.1:9/board', title: 'Board' }],
        documents: [{ title: 'Plan' }],
        updates: [{ as: 'alice', body: 'Begun' }],
        links: [{ label: 'Board', url: 'http://127.0.0.1:9/board' }],
        relations: [{ type: 'blocks', project: 'Q2', anchor_type: 'end', related_anchor_type: 'start' }],
      },
      { name: 'Q2', teams: ['ENG'] },
    ],
    customer_tiers: [{ name: 'Gold' }],
    customers: [{ name: 'Acme', domains: ['acme.example'], tier: 'Gold', needs: [{ body: 'More' }] }],
    initiatives: [
      {
        name: 'Grow',
        parent: 'Big',
        labels: ['Long'],
        projects: ['Q1'],
        updates: [{ as: 'alice', body: 'Begun' }],
        links: [{ label: 'Board', url: 'http://127.0.0.1:9/board' }],
      },
      { name: 'Big' },
    ],
    release_pipelines: [
      {
        access_keys: [{ label: 'ci' }],
        name: 'iOS',
        teams: ['ENG'],
        releases: [{ name: 'Spring', issues: ['fix'] }],
        notes: [{ content: 'Fast', releases: ['Spring'] }],
      },
    ],
    webhooks: [{ url: 'http://127.0.0.1:9/linear', resource_types: ['Issue'] }],
    apps: [
      { name: 'importer', redirect_uris: ['https://app.example/'], installed: { actor: 'user', as: 'bob' } },
      {
        name: 'agent',
        redirect_uris: ['https://app.example/'],
        webhook_url: 'http://127.0.0.1:9/agent',
        webhook_resource_types: ['AgentSessionEvent'],
        installed: { actor: 'app', scopes: ['write', 'app:assignable'] },
      },
    ],
  },
};

const app = useApp();

/** How many rows a sandbox has in each table that a snapshot holds. */
async function rowCounts(id: string): Promise<Record<string, number>> {
  const { dataSource } = app.store;
  const tables: { name: string; scope: string }[] = await dataSource.query(
    'SELECT name, sandbox_scope(owner) AS scope FROM sandbox_tables WHERE owner IS NOT NULL ORDER BY position',
  );
  const [{ tenant_id: tenant }] = await dataSource.query('SELECT tenant_id FROM sandboxes WHERE id = $1', [id]);
  const counts: Record<string, number> = {};
  for (const { name, scope } of tables) {
    const [{ count }] = await dataSource.query(`SELECT count(*)::int AS count FROM ${name} r WHERE ${scope}`, [tenant]);
    counts[name] = count;
  }
  return counts;
}

// docs/reference/sandboxes.md#copies
it('a copy of a sandbox with a row in each table has as many rows, next to the first', async () => {
  const made = await makeSandbox(app, DOCUMENT);
  const { credentials } = made.body;
  const call = async (method: string, args: object): Promise<Answer['body']> => {
    const bot = bearer(credentials.apps['deploy-bot'].bot_token);
    const { body } = await send(app, 'POST', `/api/${method}`, bot, args);
    expect(body, JSON.stringify(body)).toMatchObject({ ok: true });
    return body;
  };
  const { channel, ts } = credentials.refs.root;
  await call('pins.add', { channel, timestamp: ts });
  const { user_id: recipient_user_id, team_id: recipient_team_id } = await call('auth.test', {});
  await call('chat.startStream', { channel, recipient_user_id, recipient_team_id, markdown_text: 'so far' });
  await call('agents.sessions.setStatus', { channel_id: channel, thread_ts: ts, status: 'active' });
  await call('chat.scheduleMessage', { channel, text: 'later', post_at: Math.floor(Date.now() / 1000) + 3_600 });
  const step = { app_id: credentials.apps.steps.app_id, callback_id: 'sum', until: 'none' };
  expect(
    (await send(app, 'POST', '/api/act/run_step', bearer(credentials.users.alice.access_token), step)).status,
  ).toBe(200);
  const slot = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
  expect((await fetch(slot['upload_url'], { method: 'POST', body: 'hello' })).status).toBe(200);
  await call('files.completeUploadExternal', { files: [{ id: slot['file_id'] }], channel_id: channel });

  const key = { authorization: credentials.api_key };
  const change = 'mutation { issueUpdate(id: "ENG-1", input: { title: "Fixed" }) { success } }';
  expect((await send(app, 'POST', '/graphql', key, { query: change })).body.errors).toBeUndefined();

  const users = '{ users { nodes { id name } } teams { nodes { id } } }';
  const { users: people, teams } = (await send(app, 'POST', '/graphql', key, { query: users })).body.data;
  const bob = people.nodes.find(({ name }: { name: string }) => name === 'bob').id;
  for (const told of [
    `issueSubscribe(id: "ENG-1", userId: "${bob}")`,
    'issueReminder(id: "ENG-1", reminderAt: "2099-01-01T00:00:00Z")',
    `notificationSubscriptionCreate(input: { teamId: "${teams.nodes[0].id}", notificationSubscriptionTypes: ["issueCreated"] })`,
  ]) {
    const { body } = await send(app, 'POST', '/graphql', key, { query: `mutation { ${told} { success } }` });
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
  }

  const upload =
    'mutation { fileUpload(contentType: "text/plain", filename: "a", size: 5) { uploadFile { uploadUrl } } }';
  const { uploadUrl } = (await send(app, 'POST', '/graphql', key, { query: upload })).body.data.fileUpload.uploadFile;
  const headers = { 'content-type': 'text/plain' };
  expect((await fetch(uploadUrl, { method: 'PUT', headers, body: 'hello' })).status).toBe(200);

  const { projects: drafts } = (await send(app, 'POST', '/graphql', key, { query: '{ projects { nodes { id } } }' }))
    .body.data;
  for (const told of [
    `projectUpdate(id: "${drafts.nodes[0].id}", input: { priority: 2 })`,
    'favoriteCreate(input: { issueId: "ENG-1" })',
  ]) {
    const { body } = await send(app, 'POST', '/graphql', key, { query: `mutation { ${told} { success } }` });
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
  }

  const kinds =
    '{ customViews { nodes { id } } releases { nodes { id } } releaseNotes { nodes { id } } releasePipelines { nodes { id } } }';
  const targets = (await send(app, 'POST', '/graphql', key, { query: kinds })).body.data;
  const first = (name: string): string => targets[name].nodes[0].id;
  for (const told of [
    `notificationSubscriptionCreate(input: { customViewId: "${first('customViews')}" })`,
    `favoriteCreate(input: { customViewId: "${first('customViews')}" })`,
    `favoriteCreate(input: { releaseId: "${first('releases')}" })`,
    `favoriteCreate(input: { releaseNoteId: "${first('releaseNotes')}" })`,
    `favoriteCreate(input: { releasePipelineId: "${first('releasePipelines')}" })`,
    'favoriteCreate(input: { predefinedViewType: "allIssues", predefinedViewTeamId: "' + teams.nodes[0].id + '" })',
  ]) {
    const { body } = await send(app, 'POST', '/graphql', key, { query: `mutation { ${told} { success } }` });
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
  }

  const goal = 'mutation { initiativeUpdate(id: "%", input: { status: Active }) { success } }';
  const { initiatives } = (await send(app, 'POST', '/graphql', key, { query: '{ initiatives { nodes { id } } }' })).body
    .data;
  const active = await send(app, 'POST', '/graphql', key, { query: goal.replace('%', initiatives.nodes[0].id) });
  expect(active.body.errors).toBeUndefined();
  const { releases } = (await send(app, 'POST', '/graphql', key, { query: '{ releases { nodes { id } } }' })).body.data;
  const version = `mutation { releaseUpdate(id: "${releases.nodes[0].id}", input: { version: "1" }) { success } }`;
  expect((await send(app, 'POST', '/graphql', key, { query: version })).body.errors).toBeUndefined();
  const comment = `mutation { commentCreate(input: { initiativeId: "${initiatives.nodes[0].id}", body: "Why?" }) { success } }`;
  expect((await send(app, 'POST', '/graphql', key, { query: comment })).body.errors).toBeUndefined();

  const { app_user_id: agent, access_token: token } = credentials.tracker_apps.agent;
  const graphql = async (headers: Record<string, string>, query: string) => {
    const { body } = await send(app, 'POST', '/graphql', headers, { query });
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
    return body.data;
  };
  await graphql(key, `mutation { issueUpdate(id: "ENG-2", input: { delegateId: "${agent}" }) { success } }`);
  const { agentSessions } = await graphql(key, '{ agentSessions { nodes { id } } }');
  await graphql(
    bearer(token),
    `mutation { agentActivityCreate(input: { agentSessionId: "${agentSessions.nodes[0].id}",
       content: { type: "thought", body: "Hm" } }) { success } }`,
  );

  const counts = await rowCounts(made.body.id);
  // a new table needs a row here, in the document or by a call
  expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  const snapshot = await send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name: 'all' });
  const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, { from: snapshot.body.id });
  expect(copied.status, JSON.stringify(copied.body)).toBe(201);
  const {
    tokens: _tokens,
    api_keys: _keys,
    release_access_keys: _access,
    oauth_tokens: _oauth,
    organization_url_keys: _names,
    ...content
  } = counts;
  const copiedCounts = await rowCounts(copied.body.id);
  expect(copiedCounts).toMatchObject(content);
  const ofCopy = { authorization: copied.body.credentials.api_key };
  // favorites and subscriptions of the copy are of what is there
  const query = `{ favorites { nodes { type title } } notificationSubscriptions { nodes { ... on CustomViewNotificationSubscription { customView { name } } } } }`;
  const [before, after] = [
    await send(app, 'POST', '/graphql', key, { query }),
    await send(app, 'POST', '/graphql', ofCopy, { query }),
  ];
  expect(after.body.errors, JSON.stringify(after.body.errors)).toBeUndefined();
  expect(after.body).toEqual(before.body);
  expect(after.body.data.favorites.nodes).toHaveLength(6);
  const own = { 'x-sandbox-token': copied.body.credentials.control_token };
  const reset = await send(app, 'POST', '/api/sandboxes/self/reset', own, {});
  expect(reset.body.rows).toBe(Object.values(copiedCounts).reduce((sum, count) => sum + count, 0));
  const projects = await send(app, 'POST', '/graphql', ofCopy, { query: '{ projects { nodes { name slugId } } }' });
  const project = projects.body.data.projects.nodes.find(({ name }: { name: string }) => name === 'Q1');
  expect(project).toEqual({ name: 'Q1', slugId: expect.stringMatching(/^[0-9a-f]{12}$/) });
});
