import {
  IsNull,
  Not,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
} from 'typeorm';
import { describe, expect, it } from 'vitest';
import { newUuid } from '../../src/kernel/ids/ids.js';
import {
  App,
  Bookmark,
  Conversation,
  EventTarget,
  IncomingWebhook,
  Message,
  ScheduledMessage,
  SlashCommand,
  StoredFile,
  Token,
  User,
  Usergroup,
  Workspace,
} from '../../src/messaging/entities.js';
import { Changes } from '../../src/sandbox/changes/changes.service.js';
import * as tracker from '../../src/tracker/entities.js';
import { useApp } from '../support/app.js';
import { changeRows, insertRows, rowOf } from '../support/rows.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

/** One entity of each kind that a seed document can name. */
const DOCUMENT = {
  users: [{ name: 'alice', api_key: `svc_api_${crypto.randomUUID()}` }],
  channels: [
    {
      name: 'ops',
      members: ['alice', 'default-app'],
      bookmarks: [{ title: 'Runbook', link: 'https://a.example/' }],
      messages: [{ as: 'alice', text: 'hello', reactions: { tada: ['alice'] }, ref: 'hello' }],
    },
  ],
  apps: [
    {
      name: 'deploy',
      scopes: { bot: ['chat:write'] },
      event_subscriptions: { request_url: 'http://127.0.0.1:9/events', events: ['message'] },
      commands: [{ command: '/deploy', url: 'http://127.0.0.1:9/' }],
    },
  ],
  usergroups: [{ name: 'On call', users: ['alice'] }],
  incoming_webhooks: [{ app: 'deploy', channel: 'ops' }],
  outgoing_webhooks: [{ url: 'http://127.0.0.1:9/out', events: ['message'] }],
  tracker: {
    teams: [
      {
        key: 'OPS',
        labels: [{ name: 'Bug' }],
        cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
        issues: [
          {
            title: 'Fix',
            comments: [{ as: 'alice', body: 'On it' }],
            relations: [{ type: 'blocks', issue: 'ship' }],
            attachments: [{ url: 'http://127.0.0.1:9/ticket', title: 'Ticket' }],
            reactions: { tada: ['alice'] },
          },
          { title: 'Ship', ref: 'ship' },
        ],
      },
    ],
    project_labels: [{ name: 'Bet' }],
    templates: [{ name: 'Bug', type: 'issue', template_data: {} }],
    views: [{ name: 'Bugs' }],
    initiative_labels: [{ name: 'Long' }],
    projects: [
      {
        name: 'Q1',
        teams: ['OPS'],
        milestones: [{ name: 'Alpha' }],
        documents: [{ title: 'Plan' }],
        updates: [{ as: 'alice', body: 'Begun' }],
        links: [{ label: 'Board', url: 'http://127.0.0.1:9/board' }],
        relations: [{ type: 'blocks', project: 'Q2', anchor_type: 'end', related_anchor_type: 'start' }],
      },
      { name: 'Q2', teams: ['OPS'] },
    ],
    customer_statuses: [{ name: 'Trial' }],
    customer_tiers: [{ name: 'Gold' }],
    customers: [{ name: 'Acme', domains: ['acme.example'], tier: 'Gold', needs: [{ body: 'More' }] }],
    initiatives: [
      {
        name: 'Grow',
        parent: 'Big',
        projects: ['Q1'],
        updates: [{ as: 'alice', body: 'Begun' }],
        links: [{ label: 'Board', url: 'http://127.0.0.1:9/board' }],
      },
      { name: 'Big' },
    ],
    release_pipelines: [
      {
        name: 'iOS',
        teams: ['OPS'],
        releases: [{ name: 'Spring', issues: ['ship'] }],
        notes: [{ content: 'Fast', releases: ['Spring'] }],
        access_keys: [{ label: 'ci' }],
      },
    ],
    webhooks: [{ url: 'http://127.0.0.1:9/tracker', resource_types: ['Issue'], team: 'OPS' }],
  },
};

/** A sandbox with its workspace and organization. */
interface Place {
  workspaceId: string;
  organizationId: string;
  /** The channel that the document makes. */
  channel: string;
}
type Change<R extends ObjectLiteral> = [
  entity: EntityTarget<R>,
  which: FindOptionsWhere<R>,
  values: QueryDeepPartialEntity<R>,
];
const change = <R extends ObjectLiteral>(...change: Change<R>): Change<ObjectLiteral> =>
  change as Change<ObjectLiteral>;

/** A change to one row of each kind that has columns besides its key. */
const CHANGES: Readonly<Record<string, (at: Place) => Change<ObjectLiteral>>> = {
  user: ({ workspaceId }) => change(User, { workspaceId, name: 'alice' }, { profile: { title: 'CTO' } }),
  channel: ({ channel }) => change(Conversation, { id: channel }, { topic: 'new' }),
  app: ({ workspaceId }) =>
    change(App, { workspaceId, name: 'deploy' }, { interactivityUrl: 'http://127.0.0.1:9/i', name: 'renamed' }),
  installation: ({ workspaceId }) =>
    change(App, { workspaceId, name: 'renamed' }, { botScopes: ['chat:write', 'users:read'] }),
  token: ({ workspaceId }) => change(Token, { workspaceId, kind: 'bot' }, { revokedAt: new Date() }),
  subscription: ({ workspaceId }) =>
    change(EventTarget, { workspaceId, appId: Not(IsNull()), isSocket: false }, { verified: true }),
  webhook: ({ workspaceId }) => change(IncomingWebhook, { workspaceId }, { name: 'new' }),
  bookmark: ({ channel }) => change(Bookmark, { conversationId: channel }, { title: 'new' }),
  usergroup: ({ workspaceId }) => change(Usergroup, { workspaceId }, { description: 'new' }),
  command: ({ workspaceId }) => change(SlashCommand, { workspaceId }, { description: 'new' }),
  scheduled_message: ({ workspaceId }) => change(ScheduledMessage, { workspaceId }, { text: 'new' }),
  file: ({ workspaceId }) => change(StoredFile, { workspaceId }, { title: 'new' }),
  message: ({ channel: conversationId }) =>
    change(Message, { conversationId, text: 'hello' }, { text: 'new', wire: () => `replace(wire, 'hello', 'new')` }),
  team: ({ organizationId }) => change(tracker.Team, { organizationId, key: 'OPS' }, { name: 'new' }),
  state: ({ organizationId }) => change(tracker.WorkflowState, { organizationId, name: 'Todo' }, { name: 'new' }),
  issue: ({ organizationId }) => change(tracker.Issue, { organizationId, title: 'Fix' }, { title: 'new' }),
  issue_relation: ({ organizationId }) => change(tracker.IssueRelation, { organizationId }, { type: 'related' }),
  attachment: ({ organizationId }) => change(tracker.Attachment, { organizationId }, { title: 'new' }),
  history: ({ organizationId }) => change(tracker.IssueHistory, { organizationId }, { changes: { trashed: true } }),
  tracker_reaction: ({ organizationId }) => change(tracker.Reaction, { organizationId }, { emoji: 'heart' }),
  agent_session: ({ organizationId }) => change(tracker.AgentSession, { organizationId }, { summary: 'new' }),
  agent_activity: ({ organizationId }) => change(tracker.AgentActivity, { organizationId }, { signal: 'stop' }),
  initiative: ({ organizationId }) => change(tracker.Initiative, { organizationId, name: 'Big' }, { name: 'new' }),
  initiative_to_project: ({ organizationId }) =>
    change(tracker.InitiativeToProject, { organizationId }, { createdAt: new Date(0) }),
  initiative_relation: ({ organizationId }) => change(tracker.InitiativeRelation, { organizationId }, { userId: null }),
  initiative_update: ({ organizationId }) => change(tracker.InitiativeUpdate, { organizationId }, { body: 'new' }),
  initiative_history: ({ organizationId }) => change(tracker.InitiativeHistory, { organizationId }, { entries: [] }),
  release_pipeline: ({ organizationId }) => change(tracker.ReleasePipeline, { organizationId }, { name: 'new' }),
  release_pipeline_team: ({ organizationId }) =>
    change(tracker.ReleasePipelineTeam, { organizationId }, { createdAt: new Date(0) }),
  release_stage: ({ organizationId }) =>
    change(tracker.ReleaseStage, { organizationId, position: 1 }, { frozen: true }),
  release: ({ organizationId }) => change(tracker.Release, { organizationId }, { version: 'new' }),
  release_history: ({ organizationId }) => change(tracker.ReleaseHistory, { organizationId }, { entries: [] }),
  release_note: ({ organizationId }) => change(tracker.ReleaseNote, { organizationId }, { title: 'new' }),
  release_note_release: ({ organizationId }) =>
    change(tracker.ReleaseNoteRelease, { organizationId }, { createdAt: new Date(0) }),
  release_access_key: ({ organizationId }) => change(tracker.ReleaseAccessKey, { organizationId }, { label: 'new' }),
  issue_to_release: ({ organizationId }) =>
    change(tracker.IssueToRelease, { organizationId }, { createdAt: new Date(0) }),
  customer: ({ organizationId }) => change(tracker.Customer, { organizationId }, { revenue: 5 }),
  customer_need: ({ organizationId }) => change(tracker.CustomerNeed, { organizationId }, { body: 'new' }),
  customer_status: ({ organizationId }) =>
    change(tracker.CustomerStatus, { organizationId, name: 'Trial' }, { color: '#000000' }),
  customer_tier: ({ organizationId }) => change(tracker.CustomerTier, { organizationId }, { color: '#000000' }),
  external_link: ({ organizationId }) => change(tracker.EntityExternalLink, { organizationId }, { label: 'new' }),
  project_history: ({ organizationId }) => change(tracker.ProjectHistory, { organizationId }, { entries: [] }),
  project_label: ({ organizationId }) => change(tracker.ProjectLabel, { organizationId }, { name: 'new' }),
  document: ({ organizationId }) => change(tracker.Document, { organizationId }, { title: 'new' }),
  initiative_label: ({ organizationId }) => change(tracker.InitiativeLabel, { organizationId }, { name: 'new' }),
  custom_view: ({ organizationId }) => change(tracker.CustomView, { organizationId }, { name: 'new' }),
  notification: ({ organizationId }) => change(tracker.Notification, { organizationId }, { readAt: new Date(0) }),
  favorite: ({ organizationId }) => change(tracker.Favorite, { organizationId }, { folderName: 'new' }),
  template: ({ organizationId }) => change(tracker.Template, { organizationId }, { name: 'new' }),
  project_milestone: ({ organizationId }) => change(tracker.ProjectMilestone, { organizationId }, { name: 'new' }),
  project_relation: ({ organizationId }) => change(tracker.ProjectRelation, { organizationId }, { type: 'related' }),
  project_update: ({ organizationId }) => change(tracker.ProjectUpdate, { organizationId }, { body: 'new' }),
  comment: ({ organizationId }) => change(tracker.Comment, { organizationId }, { body: 'new' }),
  label: ({ organizationId }) => change(tracker.IssueLabel, { organizationId }, { name: 'new' }),
  project: ({ organizationId }) => change(tracker.Project, { organizationId, name: 'Q1' }, { name: 'new' }),
  project_status: ({ organizationId }) =>
    change(tracker.ProjectStatus, { organizationId, name: 'Extra' }, { name: 'new' }),
  cycle: ({ organizationId }) => change(tracker.Cycle, { organizationId }, { name: 'new' }),
  team_membership: ({ organizationId }) =>
    change(tracker.TeamMembership, { organizationId }, { owner: () => 'NOT owner' }),
  tracker_user: ({ organizationId }) => change(tracker.User, { organizationId, name: 'alice' }, { title: 'CTO' }),
  api_key: ({ organizationId }) => change(tracker.ApiKey, { organizationId }, { label: 'new' }),
};
/** Rows of these kinds consist of their key alone. */
const UNCHANGEABLE = ['member', 'pin', 'reaction'];

// docs/reference/sandboxes.md#changes-and-assertions
describe('GET /api/sandboxes/:id/changes for every kind of entity', () => {
  const app = useApp();

  it('lists them as added, changed and removed, and lists none after a reset to the same state', async () => {
    const kinds = app.nest.get(Changes, { strict: false }).entities.toSorted();
    const { body, ctl } = await makeSandbox(app);
    const bot = bearer(body.credentials.bot_token);
    const call = async (method: string, args: object): Promise<Answer['body']> => {
      const answer = (await send(app, 'POST', `/api/${method}`, bot, args)).body;
      expect([method, answer.ok, answer.error]).toEqual([method, true, undefined]);
      return answer;
    };
    const changes = async (since: string): Promise<Record<string, Record<string, any[]>>> =>
      (await send(app, 'GET', `/api/sandboxes/self/changes?since=${since}`, ctl)).body;
    const kindsOf = (found: Record<string, unknown[]> | undefined): string[] => Object.keys(found ?? {}).toSorted();

    const seeded = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, DOCUMENT);
    expect(seeded.status, JSON.stringify(seeded.body)).toBe(200);
    const { channel, ts } = seeded.body.refs.hello;
    await call('pins.add', { channel, timestamp: ts });
    await call('chat.scheduleMessage', { channel, text: 'later', post_at: Math.floor(Date.now() / 1000) + 3_600 });
    const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    await fetch(url, { method: 'POST', body: new TextEncoder().encode('hello') });
    await call('files.completeUploadExternal', { files: [{ id }], channel_id: channel });
    const { tenantId } = await rowOf(app.store, Workspace, { id: body.team_id });
    const { id: organizationId } = await rowOf(app.store, tracker.Organization, { tenantId });
    const extra = { name: 'Extra', type: 'started', color: '#112233', position: 9 } as const;
    await insertRows(app.store, tracker.ProjectStatus, [{ id: newUuid(), organizationId, ...extra }]);
    const { id: issueId } = await rowOf(app.store, tracker.Issue, { organizationId, title: 'Fix' });
    await insertRows(app.store, tracker.IssueHistory, [
      { id: newUuid(), organizationId, issueId, changes: { archived: true } },
    ]);
    const { id: initiativeId } = await rowOf(app.store, tracker.Initiative, { organizationId, name: 'Big' });
    await insertRows(app.store, tracker.InitiativeHistory, [
      { id: newUuid(), organizationId, initiativeId, entries: [{ type: 'name', from: 'Old', to: 'Big' }] },
    ]);
    const { id: projectId } = await rowOf(app.store, tracker.Project, { organizationId, name: 'Q1' });
    await insertRows(app.store, tracker.ProjectHistory, [
      { id: newUuid(), organizationId, projectId, entries: [{ type: 'name', from: 'Old', to: 'Q1' }] },
    ]);
    const { id: releaseId } = await rowOf(app.store, tracker.Release, { organizationId });
    await insertRows(app.store, tracker.ReleaseHistory, [
      { id: newUuid(), organizationId, releaseId, entries: [{ type: 'name', from: 'Old', to: 'Spring' }] },
    ]);
    const { id: appUserId } = await rowOf(app.store, tracker.User, { organizationId, name: 'alice' });
    await insertRows(app.store, tracker.Favorite, [
      { id: newUuid(), organizationId, ownerId: appUserId, folderName: 'Folder' },
    ]);
    await insertRows(app.store, tracker.Notification, [
      { id: newUuid(), organizationId, userId: appUserId, type: 'issueMention', thingId: issueId, issueId },
    ]);
    const agentSessionId = newUuid();
    const said = { type: 'thought', content: { type: 'thought', body: 'Hm' } };
    await insertRows(app.store, tracker.AgentSession, [
      { id: agentSessionId, organizationId, issueId, appUserId, slugId: '0123456789ab' },
    ]);
    await insertRows(app.store, tracker.AgentActivity, [
      { id: newUuid(), organizationId, agentSessionId, userId: appUserId, ...said },
    ]);
    const place: Place = { workspaceId: body.team_id, organizationId, channel };
    const first = await changes('baseline');
    expect(kindsOf(first['added'])).toEqual(kinds);
    const { added = {} } = first;
    expect(added['webhook']?.map(({ kind }) => kind as string).toSorted()).toEqual(['incoming', 'outgoing', 'tracker']);
    expect(added['reaction']).toMatchObject([{ name: 'tada', user_name: 'alice', channel_name: 'ops' }]);
    expect(added['issue']?.toSorted((a, b) => a.number - b.number)).toMatchObject([
      { title: 'Fix', identifier: 'OPS-1', team: 'OPS', state: 'Backlog' },
      { title: 'Ship' },
    ]);
    expect(added['issue_relation']).toMatchObject([{ issue: 'OPS-1', relatedIssue: 'OPS-2', type: 'blocks' }]);
    expect(added['comment']).toMatchObject([{ body: 'On it', user: 'alice', issue: 'OPS-1' }]);
    expect(added['subscription']).toMatchObject([{ app_name: 'deploy', url: 'http://127.0.0.1:9/events' }]);
    const named = { issue: 'OPS-1', issue_identifier: 'OPS-1', user: 'alice', user_name: 'alice' };
    expect(added['comment']).toContainEqual(expect.objectContaining(named));
    expect(added['member']).toContainEqual(expect.objectContaining({ channel_name: 'ops', user_name: 'alice' }));

    expect((await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'full' })).status).toBe(201);
    expect((await changes('full'))['counts']).toEqual({ added: {}, changed: {}, removed: {} });
    for (const [kind, changeAt] of Object.entries(CHANGES)) {
      await changeRows(app.store, ...changeAt(place));
      const { changed = {} } = await changes('full');
      expect([kind, changed[kind]?.[0]]).toEqual([
        kind,
        expect.objectContaining({ id: expect.any(String), before: expect.any(Object), after: expect.any(Object) }),
      ]);
      expect(changed[kind]?.[0].fields.length).toBeGreaterThan(0);
    }
    const second = await changes('full');
    expect(kindsOf(second['changed'])).toEqual(kinds.filter((kind) => !UNCHANGEABLE.includes(kind)));
    expect([second['added'], second['removed']]).toEqual([{}, {}]);

    const reset = (to: string): Promise<Answer> => send(app, 'POST', '/api/sandboxes/self/reset', ctl, { to });
    expect((await reset('baseline')).status).toBe(200);
    const third = await changes('full');
    expect([third['added'], third['changed'], kindsOf(third['removed'])]).toEqual([{}, {}, kinds]);
    expect((await reset('full')).status).toBe(200);
    expect((await changes('full'))['counts']).toEqual({ added: {}, changed: {}, removed: {} });
  });
});
