import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';

const DOCUMENT = {
  name: 'exported',
  labels: { suite: 'export' },
  journal: false,
  methods: 'all',
  rate_limit_multiplier: 2,
  team: { name: 'Acme' },
  users: [
    { name: 'alice', real_name: 'Alice Doe', is_admin: true, presence: 'away', profile: { title: 'CTO' } },
    { name: 'bob' },
  ],
  apps: [
    {
      name: 'deploy-bot',
      scopes: { bot: ['chat:write', 'channels:history'], user: ['chat:write'] },
      event_subscriptions: { request_url: 'http://127.0.0.1:9/events', events: ['message', 'app_mention'] },
      interactivity_url: 'http://127.0.0.1:9/interactive',
      commands: [{ command: '/deploy', url: 'http://127.0.0.1:9/command', description: 'ships' }],
    },
  ],
  channels: [
    { name: 'general', topic: 'All', messages: [{ as: 'admin', text: 'welcome <@bob>' }] },
    {
      name: 'war-room',
      is_private: true,
      topic: 'Incidents',
      purpose: 'Only these',
      members: ['alice', 'bob', 'deploy-bot'],
      bookmarks: [
        { title: 'Runbook', link: 'https://a.example/runbook', emoji: ':tada:' },
        { title: 'Board', link: 'https://a.example/board' },
      ],
      messages: [
        { as: 'alice', text: 'deploy please <@deploy-bot>, see <#war-room>', at: -3600, ref: 'ask' },
        { as: 'deploy-bot', text: 'done', thread: 'ask', reactions: { tada: ['alice', 'deploy-bot'] } },
        { as: 'bob', text: 'begins a thread, <!subteam^oncall>', at: -60, ref: 'mine' },
        {
          as: 'deploy-bot',
          text: 'blocks',
          blocks: [
            { type: 'section', text: { type: 'mrkdwn', text: 'for <@alice>' } },
            {
              type: 'rich_text',
              elements: [
                { type: 'rich_text_section', elements: [{ type: 'usergroup', usergroup_id: '<!subteam^oncall>' }] },
              ],
            },
          ],
          attachments: [{ text: 'for <@bob>', color: '#ff0000' }],
        },
      ],
    },
    { name: 'bulk', messages: 30 },
  ],
  dms: [
    { members: ['alice', 'bob'], messages: [{ as: 'bob', text: 'hi' }] },
    { members: ['admin', 'alice', 'bob'], messages: [{ as: 'admin', text: 'all of us' }] },
  ],
  usergroups: [
    {
      name: 'On call',
      handle: 'oncall',
      description: 'who answers',
      users: ['alice', 'deploy-bot'],
      channels: ['war-room', 'general'],
      ref: 'oncall',
    },
    { name: 'Marketing' },
  ],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'war-room', name: 'Hook', ref: 'hook' }],
  outgoing_webhooks: [{ url: 'http://127.0.0.1:9/out', events: ['message'], ref: 'out' }],
  tracker: {
    labels: [{ name: 'Shared', color: '#112233' }],
    teams: [
      {
        key: 'ENG',
        name: 'Engineering',
        labels: [{ name: 'Bug', color: '#eb5757' }],
        states: [{ name: 'QA', type: 'started', color: '#112233' }],
        cycles: [{ number: 1, name: 'First', starts_at: '2026-01-05', ends_at: '2026-01-19' }],
        issues: [
          {
            title: 'Fix login',
            state: 'In Progress',
            assignee: 'alice',
            priority: 2,
            labels: ['Bug'],
            number: 7,
            ref: 'login',
          },
          { title: 'Subtask', parent: 'login', cycle: 1, project: 'Q1', comments: [{ as: 'bob', body: 'On it' }] },
          { title: 'By bob', as: 'bob', due_date: '2026-02-01', estimate: 3, description: 'long', state: 'QA' },
        ],
      },
      { key: 'OPS', name: 'Operations', private: true },
    ],
    projects: [
      { name: 'Q1', teams: ['ENG'], lead: 'alice', members: ['bob'], target_date: '2026-03-31', status: 'Planned' },
    ],
    webhooks: [{ url: 'http://127.0.0.1:9/linear', resource_types: ['Issue', 'Comment'], team: 'ENG', ref: 'linear' }],
  },
};

describe('GET /api/sandboxes/:id/seed', () => {
  const app = useApp();

  it('exports a document that creates the same sandbox again, in JSON and in YAML', async () => {
    const first = await makeSandbox(app, DOCUMENT);
    const exported = await send(app, 'GET', '/api/sandboxes/self/seed', first.ctl);
    expect(exported.status, JSON.stringify(exported.body)).toBe(200);
    expect(exported.body).toMatchObject({
      name: 'exported',
      labels: { suite: 'export' },
      journal: false,
      methods: 'all',
      users: [
        { name: 'alice', real_name: 'Alice Doe', is_admin: true, presence: 'away', profile: { title: 'CTO' } },
        { name: 'bob' },
      ],
      incoming_webhooks: [{ app: 'deploy-bot', channel: 'war-room', name: 'Hook', ref: 'hook' }],
    });
    const room = exported.body.channels.find(({ name }: { name: string }) => name === 'war-room');
    expect(room).toMatchObject({ members: ['alice', 'bob', 'deploy-bot'], topic: 'Incidents', is_private: true });
    expect(room.messages[0]).toMatchObject({ text: 'deploy please <@deploy-bot>, see <#war-room>', ref: 'ask' });
    expect(room.messages[3].blocks[0].text.text).toBe('for <@alice>');
    expect(JSON.stringify(exported.body)).not.toMatch(/xox[bp]-|xapp-|svc_api_|svc_wh_|secret/);

    const second = await makeSandbox(app, exported.body);
    expect(second.body.warnings).toBeUndefined();
    expect(second.body.counts).toEqual(first.body.counts);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', second.ctl)).body).toEqual(exported.body);

    const yaml = await send(app, 'GET', '/api/sandboxes/self/seed?format=yaml', first.ctl);
    const third = await send(app, 'POST', '/api/sandboxes', OPERATOR, yaml.body);
    expect(third.status, JSON.stringify(third.body)).toBe(201);
    const ctl = { 'x-sandbox-token': third.body.credentials.control_token };
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body).toEqual(exported.body);
  });

  it('names entities that the API created, and omits what the format cannot express', async () => {
    const made = await makeSandbox(app, {
      users: [{ name: 'alice' }],
      channels: [{ name: 'ops', members: ['alice'] }],
    });
    const { credentials } = made.body;
    const bot = bearer(credentials.bot_token);
    const channel = credentials.channels.ops;
    await send(app, 'POST', '/api/conversations.join', bot, { channel });
    const root = await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'root' });
    await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'reply', thread_ts: root.body.ts });
    await send(app, 'POST', '/api/pins.add', bot, { channel, timestamp: root.body.ts });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    const ops = body.channels.find(({ name }: { name: string }) => name === 'ops');
    expect(ops.members).toEqual(['alice', 'default-app']);
    expect(ops.messages).toMatchObject([
      { as: 'default-app', text: 'root', ref: 'thread-1' },
      { as: 'default-app', text: 'reply', thread: 'thread-1' },
    ]);
    const again = await makeSandbox(app, body);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(body);
  });

  it('makes a document of the longest that the API takes, and takes no longer names than it', async () => {
    const made = await makeSandbox(app, { channels: [{ name: 'ops', members: ['default-app'] }] });
    const { credentials } = made.body;
    const graphql = async (query: string, input: object): Promise<void> => {
      const { body } = await send(
        app,
        'POST',
        '/graphql',
        { authorization: credentials.api_key },
        {
          query,
          variables: { input },
        },
      );
      expect(body.errors).toBeUndefined();
    };
    const long = 'x'.repeat(120_000);
    await graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      teamId: credentials.teams.ENG.id,
      title: 'y'.repeat(512),
      description: long,
    });
    await graphql('mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { success } }', {
      name: 'z'.repeat(80),
      description: long,
    });
    const posted = await send(app, 'POST', '/api/chat.postMessage', bearer(credentials.bot_token), {
      channel: credentials.channels.ops,
      text: `https://a.example/ ${'x '.repeat(19_980)} ann@a.example`,
    });
    expect(posted.body.message.text.length).toBeGreaterThan(40_000);
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    const again = await makeSandbox(app, body);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(body);

    const tooLong = { name: 'z'.repeat(81) };
    const refused = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
      tracker: {
        teams: [{ key: 'ENG', ...tooLong, labels: [tooLong], states: [{ ...tooLong, type: 'started' }] }],
        projects: [{ ...tooLong, teams: ['ENG'] }],
      },
    });
    expect(refused.body.message).toEqual(
      ['teams[0]', 'teams[0].labels[0]', 'teams[0].states[0]', 'projects[0]'].map(
        (path) => `tracker.${path}.name: must be a text of at most 80 characters`,
      ),
    );
  });

  it('leaves the owner out of the channels that the owner is not in', async () => {
    const made = await makeSandbox(app, { users: ['alice', 'bob'] });
    const alice = bearer(made.body.credentials.users.alice.access_token);
    const secret = await send(app, 'POST', '/api/conversations.create', alice, { name: 'secret', is_private: true });
    const invited = { channel: secret.body.channel.id, users: made.body.credentials.users.bob.user_id };
    expect((await send(app, 'POST', '/api/conversations.invite', alice, invited)).body.ok).toBe(true);
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    expect(body.channels).toContainEqual({
      name: 'secret',
      is_private: true,
      without_owner: true,
      members: ['alice', 'bob'],
    });
    const again = await makeSandbox(app, body);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(body);
    const { credentials } = again.body;
    const info = { channel: credentials.channels.secret };
    const asOwner = await send(app, 'POST', '/api/conversations.info', bearer(credentials.user_token), info);
    expect(asOwner.body.error).toBe('channel_not_found');
  });

  it('names what templates and views refer to, so that they mean it in another organization as well', async () => {
    const named = {
      users: ['alice'],
      tracker: {
        labels: [{ name: 'Shared/all', color: '#112233' }],
        project_labels: [{ name: 'Bet' }],
        teams: [
          {
            key: 'ENG',
            labels: [{ name: 'Bug', color: '#eb5757' }],
            cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
            issues: [{ title: 'Above', number: 7, ref: 'above' }],
            templates: [
              {
                name: 'Bug',
                type: 'issue',
                template_data: {
                  title: '<b>',
                  stateId: '<state:ENG/In Progress>',
                  labelIds: ['<label:ENG/Bug>', '<label:Shared/all>'],
                  assigneeId: '<user:alice>',
                  projectId: '<project:Q1>',
                  projectMilestoneId: '<milestone:Q1/Alpha>',
                  cycleId: '<cycle:ENG/1>',
                  parentId: '<issue:above>',
                },
              },
            ],
          },
        ],
        projects: [{ name: 'Q1', teams: ['ENG'], milestones: [{ name: 'Alpha' }] }],
        views: [
          { name: 'Mine', filter_data: { team: { id: { eq: '<team:ENG>' } } } },
          {
            name: 'Bets',
            project_filter_data: {
              status: { id: { in: ['<project_status:Planned>'] } },
              labels: { id: { eq: '<project_label:Bet>' } },
            },
          },
        ],
      },
    };
    const first = await makeSandbox(app, named);
    const { body: exported } = await send(app, 'GET', '/api/sandboxes/self/seed', first.ctl);
    const dataOf = (document: typeof named) => document.tracker.teams[0]?.templates[0]?.template_data;
    expect(dataOf(exported)).toEqual(dataOf(named));
    const filters = exported.tracker.views.map(
      ({ filter_data: issues, project_filter_data: projects }: Record<string, object>) => projects ?? issues,
    );
    expect(filters).toEqual(named.tracker.views.map((view) => view.project_filter_data ?? view.filter_data));
    const second = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', second.ctl)).body).toEqual(exported);
    // what the template is of is what the new organization has of these names
    const authorization = second.body.credentials.api_key;
    const graphql = async (query: string): Promise<Answer['body']> => {
      const { body } = await send(app, 'POST', '/graphql', { authorization }, { query });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
    const { templates } = await graphql('{ templates { id } }');
    const { issueCreate } =
      await graphql(`mutation { issueCreate(input: { teamId: "${second.body.credentials.teams.ENG.id}",
      templateId: "${templates[0].id}" }) { issue { title state { name } labels { nodes { name } } assignee { name }
        project { name } projectMilestone { name } cycle { number } parent { title } } } }`);
    expect(issueCreate.issue).toEqual({
      title: '<b>',
      state: { name: 'In Progress' },
      labels: { nodes: expect.arrayContaining([{ name: 'Bug' }, { name: 'Shared/all' }]) },
      assignee: { name: 'alice' },
      project: { name: 'Q1' },
      projectMilestone: { name: 'Alpha' },
      cycle: { number: 1 },
      parent: { title: 'Above' },
    });
    const { body: withIds } = await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', second.ctl);
    expect(dataOf(withIds)?.stateId).toMatch(/^[0-9a-f-]{36}$/);
    const wrong = [{ name: 'x', type: 'issue', template_data: { labelIds: ['<label:ENG/Nix>'] } }];
    const refused = await send(app, 'POST', '/api/sandboxes', OPERATOR, { tracker: { templates: wrong } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      ['tracker.templates[0].template_data.labelIds[0]: no label has the name "ENG/Nix"'],
    ]);
  });

  it('tells apart what the API lets have one name', async () => {
    const made = await makeSandbox(app, {});
    const graphql = async (mutation: string): Promise<Answer['body']> => {
      const authorization = made.body.credentials.api_key;
      const query = `mutation { ${mutation} }`;
      const { body } = await send(app, 'POST', '/graphql', { authorization }, { query });
      expect(body.errors).toBeUndefined();
      return Object.values(body.data)[0];
    };
    const team = made.body.credentials.teams.ENG.id;
    const longest = 'y'.repeat(80);
    const ids: string[] = [];
    for (const name of ['Q1', 'Q1', longest, longest]) {
      const input = `name: "${name}", teamIds: ["${team}"]`;
      ids.push((await graphql(`projectCreate(input: { ${input} }) { project { id } }`)).project.id);
    }
    for (const name of ['Grow', 'Grow']) await graphql(`initiativeCreate(input: { name: "${name}" }) { success }`);
    for (const title of ['One', 'Two']) {
      const { projectMilestone } = await graphql(
        `projectMilestoneCreate(input: { projectId: "${ids[0]}", name: "Alpha" }) { projectMilestone { id } }`,
      );
      await graphql(`issueCreate(input: { teamId: "${team}", title: "${title}", projectId: "${ids[0]}",
        projectMilestoneId: "${projectMilestone.id}" }) { success }`);
    }
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    const namesOf = (things: { name: string }[]): string[] => things.map(({ name }) => name);
    expect(namesOf(body.tracker.projects)).toEqual(['Q1', 'Q1 2', `${'y'.repeat(78)} 2`, longest]);
    expect(namesOf(body.tracker.initiatives)).toEqual(['Grow', 'Grow 2']);
    expect(namesOf(body.tracker.projects[0].milestones)).toEqual(['Alpha', 'Alpha 2']);
    const milestones = body.tracker.teams[0].issues.map(({ milestone }: { milestone: string }) => milestone);
    expect(milestones).toEqual(['Alpha', 'Alpha 2']);
    const again = await makeSandbox(app, body);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(body);
  });

  it('includes ids and timestamps on request, which a new sandbox takes over once the first is deleted', async () => {
    const made = await makeSandbox(app, { ...DOCUMENT, clock: { now: '2026-01-01T09:00:00Z', frozen: true } });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', made.ctl);
    expect(body).toMatchObject({ team: { id: made.body.team_id }, clock: { frozen: true } });
    const taken = await send(app, 'POST', '/api/sandboxes', OPERATOR, body);
    expect(taken).toMatchObject({ status: 409, body: { message: 'id_taken' } });
    expect((await send(app, 'DELETE', '/api/sandboxes/self', made.ctl)).status).toBe(200);
    const again = await makeSandbox(app, body);
    expect(again.body).toMatchObject({ team_id: made.body.team_id, counts: made.body.counts });
    expect(again.body.credentials.refs.ask).toEqual(made.body.credentials.refs.ask);
    expect(again.body.credentials.refs.login).toEqual(made.body.credentials.refs.login);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed?ids=true', again.ctl)).body).toEqual(body);
  });

  it('refuses other formats, and callers without permission', async () => {
    const made = await makeSandbox(app);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed?format=xml', made.ctl)).status).toBe(400);
    expect(
      (await send(app, 'GET', `/api/sandboxes/${made.body.id}/seed`, bearer(made.body.credentials.bot_token))).status,
    ).toBe(403);
  });
});
