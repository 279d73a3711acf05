import { LinearClient } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const AT = '2026-01-06T00:00:00.000Z';
const at = (minute: number): string => new Date(Date.parse(AT) + minute * 60_000).toISOString();
const links = (label: string) => [{ label, url: 'https://a.example/link', sort_order: 1 }];
const document = (title: string) => ({ title, content: 'long', icon: 'Book', color: '#112233', owner: 'alice' });
const template = (name: string) => ({
  name,
  type: 'issue',
  description: 'short',
  template_data: { priority: 1 },
  sort_order: 1,
});

/** Every field that a document has of the tracker, as an export writes it. */
const TRACKER = {
  guidance: 'Be brief.',
  labels: [{ name: 'Shared', color: '#112233', description: 'of all' }],
  teams: [
    {
      key: 'ENG',
      name: 'Engineering',
      description: 'builds',
      guidance: 'Write tests.',
      labels: [{ name: 'Bug', color: '#eb5757', description: 'wrong' }],
      states: [{ name: 'QA', type: 'started', color: '#112233', description: 'looks' }],
      cycles: [
        { number: 1, name: 'First', starts_at: '2026-01-05T00:00:00.000Z', ends_at: '2026-01-19T00:00:00.000Z' },
      ],
      templates: [template('Chore')],
      links: links('Team'),
      documents: [document('Of the team')],
      issues: [
        {
          title: 'Fix login',
          description: 'long',
          number: 7,
          state: 'QA',
          assignee: 'alice',
          as: 'bob',
          priority: 2,
          estimate: 3,
          due_date: '2026-02-01',
          labels: ['Bug'],
          project: 'Q1',
          cycle: 1,
          at: AT,
          ref: 'login',
          subscribers: ['carol'],
          milestone: 'Alpha',
          template: 'Chore',
          delegate: 'helper',
          reactions: { '+1': ['alice'] },
          documents: [document('Of the issue')],
          attachments: [
            {
              url: 'https://a.example/ticket',
              title: 'Ticket',
              subtitle: 'open',
              source_type: 'zendesk',
              metadata: { n: 1 },
            },
          ],
          comments: [
            {
              as: 'alice',
              body: 'On it',
              at: at(1),
              resolved: 'bob',
              reactions: { tada: ['bob'] },
              replies: [{ as: 'bob', body: 'Done', at: at(2), reactions: { eyes: ['alice'] } }],
            },
          ],
          sessions: [
            {
              app: 'helper',
              status: 'complete',
              as: 'alice',
              at: at(3),
              delegated: true,
              dismissed: 'bob',
              summary: 'Looked',
              plan: [{ content: 'Look', status: 'completed' }],
              external_urls: [{ label: 'Run', url: 'https://a.example/run' }],
              external_link: 'https://a.example/run',
              activities: [
                { type: 'thought', body: 'Hm', at: at(4), ephemeral: true },
                { type: 'action', action: 'Look', parameter: 'login', result: 'seen', at: at(5) },
                {
                  type: 'elicitation',
                  body: 'Which?',
                  at: at(6),
                  signal: 'select',
                  signal_metadata: { options: [{ value: 'a' }, { value: 'b' }] },
                },
                { type: 'prompt', body: 'a', as: 'alice', at: at(7) },
                { type: 'error', body: 'No', reason_code: 'broken', at: at(8) },
                { type: 'prompt', body: 'Stop', as: 'bob', at: at(9), signal: 'stop' },
                { type: 'response', body: 'Done', at: at(10) },
              ],
            },
            { app: 'helper', status: 'pending', at: at(11) },
          ],
        },
        { title: 'Old', number: 8, archived: true, at: at(1) },
        {
          title: 'Part',
          number: 9,
          parent: 'login',
          at: at(2),
          relations: [{ type: 'blocks', issue: 'login' }],
        },
      ],
    },
    { key: 'SEC', name: 'Secret', private: true, members: ['bob'] },
  ],
  project_statuses: [
    { name: 'Shaping', type: 'planned', color: '#112233', position: 1.5, description: 'drawn', indefinite: true },
  ],
  project_labels: [
    { name: 'Kind', is_group: true },
    { name: 'Bet', color: '#112233', description: 'risky', parent: 'Kind', retired_by: 'alice' },
  ],
  projects: [
    {
      name: 'Q1',
      description: 'first',
      content: 'long',
      teams: ['ENG'],
      members: ['alice'],
      labels: ['Bet'],
      lead: 'alice',
      status: 'Shaping',
      priority: 1,
      start_date: '2026-01-01',
      target_date: '2026-03-31',
      milestones: [{ name: 'Alpha', description: 'First', target_date: '2026-02-01', sort_order: 100 }],
      updates: [{ as: 'alice', body: 'Begun', health: 'atRisk', at: at(12) }],
      links: links('Project'),
      documents: [document('Of the project')],
      attachments: [{ url: 'https://a.example/board', title: 'Board', as: 'alice' }],
      relations: [
        {
          type: 'dependency',
          project: 'Q2',
          anchor_type: 'milestone',
          related_anchor_type: 'milestone',
          milestone: 'Alpha',
          related_milestone: 'Beta',
        },
      ],
    },
    { name: 'Q2', teams: ['ENG'], milestones: [{ name: 'Beta' }] },
  ],
  initiative_labels: [
    { name: 'Area', is_group: true },
    { name: 'Long', color: '#112233', description: 'takes years', parent: 'Area', retired_by: 'alice' },
  ],
  initiatives: [
    { name: 'Big' },
    {
      name: 'Grow',
      description: 'goal',
      content: 'long',
      icon: 'Rocket',
      color: '#112233',
      status: 'Active',
      owner: 'alice',
      priority: 1,
      target_date: '2026-06-30',
      target_date_resolution: 'halfYear',
      parent: 'Big',
      labels: ['Long'],
      projects: ['Q1'],
      updates: [{ as: 'alice', body: 'Begun', health: 'offTrack', at: at(13) }],
      links: links('Initiative'),
      documents: [document('Of the initiative')],
    },
  ],
  documents: [{ ...document('Of another'), initiative: 'Big' }],
  templates: [template('Bug'), { name: 'Kick-off', type: 'project', template_data: { name: 'New' } }],
  views: [
    {
      name: 'Urgent',
      description: 'now',
      team: 'ENG',
      shared: true,
      filter_data: { priority: { eq: 1 } },
      owner: 'alice',
    },
    { name: 'Bets', project_filter_data: { priority: { eq: 1 } }, owner: 'bob' },
  ],
  customer_statuses: [{ name: 'Trial', display_name: 'On trial', color: '#112233', position: 7 }],
  customer_tiers: [{ name: 'Gold', display_name: 'Gold plan', color: '#112233', position: 1 }],
  customers: [
    {
      name: 'Acme',
      domains: ['acme.example'],
      external_ids: ['crm-1'],
      logo_url: 'https://acme.example/logo.png',
      main_source_id: 'crm-1',
      owner: 'alice',
      revenue: 1000,
      size: 50,
      status: 'Trial',
      tier: 'Gold',
      needs: [
        { issue: 'login', body: 'More', priority: 1 },
        { project: 'Q1', body: 'Less' },
      ],
    },
  ],
  release_pipelines: [
    {
      name: 'iOS',
      teams: ['ENG'],
      is_production: true,
      include_path_patterns: ['ios/**'],
      stages: [{ name: 'Testing', type: 'started', color: '#112233', frozen: true }],
      releases: [
        {
          name: 'Spring',
          as: 'bob',
          version: '1.0',
          stage: 'Testing',
          description: 'All of it',
          commit_sha: '0123456789',
          start_date: '2026-01-01',
          target_date: '2026-02-01',
          issues: ['login'],
          documents: [document('Of the release')],
          links: links('Release'),
        },
      ],
      notes: [{ title: 'News', content: 'Fast', as: 'alice', releases: ['Spring'] }],
      access_keys: [{ label: 'ci' }],
    },
  ],
  integrations: [
    { service: 'github', team: 'ENG', as: 'alice' },
    { service: 'slack', as: 'bob' },
  ],
  external_users: [{ name: 'Ada', display_name: 'ada', email: 'ada@other.example' }],
  webhooks: [{ url: 'http://127.0.0.1:9/', label: 'far', resource_types: ['Issue'], team: 'ENG', ref: 'far' }],
  apps: [
    {
      name: 'helper',
      redirect_uris: ['https://app.example/callback'],
      client_credentials: true,
      public: true,
      webhook_url: 'http://127.0.0.1:9/',
      webhook_resource_types: ['AgentSessionEvent'],
      installed: { actor: 'app', scopes: ['app:assignable', 'app:mentionable', 'read', 'write'], as: 'alice' },
    },
  ],
};

/** Lists by the names of what they hold: an export has an order of its own. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const named = (one: unknown): string => JSON.stringify((one as { name?: string })?.name ?? null);
    return value.map(ordered).sort((a, b) => (named(a) < named(b) ? -1 : named(a) > named(b) ? 1 : 0));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, ordered(one)]])),
  );
};

// docs/reference/sandboxes.md#seeds
describe('the tracker of a seed document', () => {
  const app = useApp();
  const DOCUMENT = {
    name: 'whole tracker',
    users: [{ name: 'alice', is_admin: true }, { name: 'bob' }, { name: 'carol' }],
    clock: { now: '2026-01-06T00:30:00.000Z', frozen: true },
    tracker: TRACKER,
  };

  it('is exported with every field, and the export makes the same again', async () => {
    const first = await makeSandbox(app, DOCUMENT);
    expect(first.body.warnings).toBeUndefined();
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', first.ctl)).body;
    const { tracker } = exported;
    // an export has documents with what they are on, and the statuses that each organization begins with
    const { documents, customer_statuses: statuses, ...others } = TRACKER;
    expect(ordered(tracker)).toMatchObject(ordered(others) as object);
    expect(tracker.customer_statuses).toContainEqual(expect.objectContaining(statuses[0]));
    const big = tracker.initiatives.find(({ name }: { name: string }) => name === 'Big');
    const { initiative: _, ...content } = documents[0]!;
    expect(big.documents).toMatchObject([content]);
    expect(JSON.stringify(exported)).not.toMatch(/svc_rel_|svc_wh_|svc_api_|secret"/);
    const second = await makeSandbox(app, exported);
    expect(second.body.warnings).toBeUndefined();
    expect(second.body.counts).toEqual(first.body.counts);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', second.ctl)).body).toEqual(exported);
    // with ids as well, once the first is gone
    const withIds = (await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', second.ctl)).body;
    expect((await send(app, 'DELETE', '/api/sandboxes/self', second.ctl)).status).toBe(200);
    const third = await makeSandbox(app, withIds);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', third.ctl)).body).toEqual(withIds);
  });

  it('has sessions of agents as if they had worked, and nobody is told', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const client = new LinearClient({ apiKey: body.credentials.api_key, apiUrl: `${app.baseUrl}/graphql` });
    const issue = await client.issue('ENG-7');
    const { nodes } = await client.agentSessions();
    const [pending, done] = nodes;
    expect([pending!.status, done!.status]).toEqual(['pending', 'complete']);
    expect(done).toMatchObject({
      summary: 'Looked',
      externalLink: 'https://a.example/run',
      startedAt: new Date(at(4)),
      endedAt: new Date(at(10)),
      issueId: issue.id,
    });
    expect(done!.plan).toEqual([{ content: 'Look', status: 'completed' }]);
    expect((await done!.dismissedBy)!.name).toBe('bob');
    // the ephemeral one was over with the next
    const said = (await done!.activities()).nodes.toReversed();
    expect(said.map(({ content }) => content.type)).toEqual(
      'action elicitation prompt error prompt response'.split(' '),
    );
    expect(said[1]!.signalMetadata).toEqual({ options: [{ value: 'a' }, { value: 'b' }] });
    const thread = (await done!.comment)!;
    expect(thread.body).toBe('This thread is for an agent session with helper.');
    const replies = await client.comments({ filter: { parent: { id: { eq: thread.id } } } });
    expect(replies.nodes.map((one) => one.body).toReversed()).toEqual(['Which?', 'No', 'Done']);
    for (const kind of ['event', 'delivery']) {
      const { entries } = (await send(app, 'GET', `/api/sandboxes/self/timeline?kind=${kind}`, ctl)).body;
      expect(entries, kind).toEqual([]);
    }
    // the clock goes on from the last word
    await send(app, 'POST', '/api/sandboxes/self/clock/advance', ctl, { seconds: 31 * 60 });
    await expect.poll(async () => (await client.agentSession(pending!.id)).status).toBe('stale');
    expect((await client.agentSession(done!.id)).status).toBe('complete');
  });

  it('names the sessions that nobody can have had', async () => {
    const session = { app: 'nobody', status: 'odd', as: 'nobody', activities: [] as object[] };
    const activities = [
      { type: 'song' },
      { type: 'thought' },
      { type: 'response', body: 'x', ephemeral: true },
      { type: 'response', body: 'x', as: 'alice' },
      { type: 'prompt', body: 'x', signal: 'select' },
    ];
    const answer = async (one: object) =>
      send(app, 'POST', '/api/sandboxes', OPERATOR, {
        users: ['alice'],
        tracker: { teams: [{ key: 'ENG', issues: [{ title: 'One', sessions: [one] }] }], apps: TRACKER.apps },
      });
    const path = 'tracker.teams[0].issues[0].sessions[0]';
    const wrong = await answer({ ...session, activities });
    expect(wrong.status).toBe(400);
    const faults = ([] as string[]).concat(wrong.body.message);
    for (const where of [
      '.status',
      '.as',
      '.activities[0].type',
      '.activities[1].body',
      '.activities[2].ephemeral',
      '.activities[3].as',
      '.activities[4].signal',
    ])
      expect(
        faults.some((fault) => fault.startsWith(`${path}${where}: `)),
        `${where} in ${faults.join('\n')}`,
      ).toBe(true);
    const unknown = await answer({ app: 'nobody' });
    expect(([] as string[]).concat(unknown.body.message)).toEqual([
      `${path}.app: no application that acts as itself has the name "nobody"`,
    ]);
    const unfit = await answer({
      app: 'helper',
      activities: [{ type: 'elicitation', body: 'x', signal: 'select', signal_metadata: { options: [] } }],
    });
    expect(([] as string[]).concat(unfit.body.message)).toEqual([`${path}.activities[0]: the signal does not fit`]);
  });
});
