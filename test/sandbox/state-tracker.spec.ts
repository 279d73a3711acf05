import { LinearClient } from '@linear/sdk';
import { expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { TRACKER_STATE, TRACKER_TABLES } from '../../src/tenants/state/tracker-state.js';
import * as entities from '../../src/tracker/entities.js';
import { useApp } from '../support/app.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { getMetadataArgsStorage } from 'typeorm';

const app = useApp();

/** Tables of the tracker that are in no state, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  api_keys: 'credentials',
  oauth_tokens: 'credentials',
  release_access_keys: 'credentials',
  organizations: 'the sandbox itself, whose name is its own',
  organization_url_keys: 'names that end with their organization',
  issue_history: 'follows from what was done',
  project_history: 'follows from what was done',
  initiative_history: 'follows from what was done',
  release_history: 'follows from what was done',
  tracker_notifications: 'follow from what was done',
  issue_subscribers: 'follow from who made, has and comments on issues',
  tracker_webhooks: 'where events are sent to differs between sandboxes that are alike, as it does in Chat',
  tracker_file_contents: 'the bytes of files, which the state has by their hash',
};

// docs/reference/sandboxes.md#state
it('every table of the tracker is in the state of a sandbox, or is left out for a reason', () => {
  const classes = new Set<unknown>(Object.values(entities));
  const tables = getMetadataArgsStorage()
    .tables.filter(({ target }) => classes.has(target))
    .map(({ name }) => String(name));
  const known = new Set([...TRACKER_STATE.map(({ table }) => table), ...TRACKER_TABLES]);
  expect(tables.length).toBeGreaterThan(40);
  expect(tables.filter((table) => !known.has(table) && LEFT_OUT[table] === undefined)).toEqual([]);
  expect(Object.keys(LEFT_OUT).filter((table) => known.has(table))).toEqual([]);
});

const DOCUMENT = {
  users: [{ name: 'alice', is_admin: true }, { name: 'bob' }],
  clock: { now: '2026-01-06T09:00:00.000Z', frozen: true },
  tracker: {
    teams: [
      {
        key: 'ENG',
        issues: [
          {
            title: 'Fix',
            ref: 'fix',
            delegate: 'helper',
            sessions: [
              {
                app: 'helper',
                status: 'active',
                as: 'bob',
                activities: [
                  { type: 'thought', body: 'over', ephemeral: true },
                  { type: 'action', action: 'Look', parameter: 'x' },
                  { type: 'prompt', body: 'Go on', as: 'bob' },
                ],
              },
            ],
          },
        ],
      },
    ],
    projects: [
      { name: 'Q1', teams: ['ENG'], attachments: [{ title: 'Board', url: 'https://a.example/board', as: 'bob' }] },
    ],
    integrations: [{ service: 'github', team: 'ENG', as: 'bob' }],
    external_users: [{ name: 'Ada', display_name: 'ada', email: 'ada@other.example' }],
    apps: [
      {
        name: 'helper',
        redirect_uris: ['https://app.example/callback'],
        webhook_url: 'http://127.0.0.1:9/',
        webhook_resource_types: ['AgentSessionEvent'],
        installed: { actor: 'app', scopes: ['write', 'app:assignable'], as: 'alice' },
      },
    ],
  },
};

// docs/reference/sandboxes.md#state
it('people, agents, favorites, subscriptions, reminders and files are in it by names, in copies as well', async () => {
  const { ctl, body } = await makeSandbox(app, DOCUMENT);
  const client = new LinearClient({ apiKey: body.credentials.api_key, apiUrl: `${app.baseUrl}/graphql` });
  const state = async (headers = ctl) => {
    const answer = await send(app, 'GET', '/api/sandboxes/self/state?document=true', headers);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const before = await state();
  const issueId: string = body.credentials.refs.fix.id;
  const project = (await client.projects()).nodes[0]!;
  const folder = (await client.createFavorite({ folderName: 'Mine' })).favoriteId!;
  await client.createFavorite({ issueId, parentId: folder });
  await client.createFavorite({ projectId: project.id });
  await client.createNotificationSubscription({
    projectId: project.id,
    notificationSubscriptionTypes: ['issueStatusChangedAll', 'issueCreated'],
  });
  await client.issueReminder(issueId, new Date('2026-01-07T09:00:00.000Z'));
  const { uploadUrl } = (await client.fileUpload('text/plain', 'a.txt', 5)).uploadFile!;
  const put = { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'hello' };
  expect((await fetch(uploadUrl, put)).status).toBe(200);
  await client.fileUpload('text/plain', 'only announced.txt', 5);

  const after = await state();
  expect(after.tracker).not.toBe(before.tracker);
  const { tracker } = after.document;
  expect(tracker.favorite).toEqual([
    { owner: 'admin', folder: 'Mine' },
    { owner: 'admin', parent: 'Mine', issue: 'ENG: Fix' },
    { owner: 'admin', project: 'Q1' },
  ]);
  expect(tracker.notification_subscription).toEqual([
    { subscriber: 'admin', project: 'Q1', types: ['issueCreated', 'issueStatusChangedAll'], active: true },
  ]);
  expect(tracker.issue_reminder).toEqual([{ issue: 'ENG: Fix', user: 'admin' }]);
  expect(tracker.tracker_file).toEqual([
    { name: 'a.txt', content_type: 'text/plain', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), public: false },
  ]);
  expect(tracker.team_membership).toContainEqual({ team: 'ENG', user: 'bob', owner: false });
  expect(tracker.external_user).toEqual([{ name: 'Ada', display_name: 'ada', email: 'ada@other.example' }]);
  expect(tracker.integration).toEqual([{ service: 'github', team: 'ENG', by: 'bob' }]);
  expect(tracker.project_attachment).toEqual([
    { project: 'Q1', title: 'Board', subtitle: null, url: 'https://a.example/board' },
  ]);
  expect(tracker.project_status).toContainEqual({ name: 'Backlog', type: 'backlog' });
  expect(tracker.issue[0]).toMatchObject({ delegate: 'helper' });
  expect(tracker.agent_session).toEqual([
    {
      issue: 'ENG: Fix',
      app: 'helper',
      status: 'active',
      creator: 'bob',
      delegated: false,
      dismissed: false,
      summary: null,
      plan: null,
      external_urls: [],
    },
  ]);
  expect(tracker.agent_activity).toMatchObject(
    [
      { app: 'helper', by: 'bob', content: { type: 'prompt', body: 'Go on' }, ephemeral: false },
      { app: 'helper', by: 'helper', content: { type: 'action', action: 'Look', parameter: 'x' } },
    ].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
  expect(JSON.stringify(after.document)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[47]/);

  // a copy is alike, and a reset brings the state back
  const taken = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 's' });
  const copy = await send(app, 'POST', '/api/sandboxes', ctl, { from: taken.body.id });
  expect(copy.status, JSON.stringify(copy.body)).toBe(201);
  expect((await state({ 'x-sandbox-token': copy.body.credentials.control_token })).hash).toBe(after.hash);
  expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
  expect((await state()).hash).toBe(before.hash);
  const counted = await app.nest
    .get(Db)
    .readText('SELECT count(*)::int AS n FROM favorites WHERE issue_id = $1', [issueId]);
  expect(counted).toEqual([{ n: 0 }]);
});
