import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

// docs/reference/tracker.md#organization, #project
describe('what seed documents alone bring to the tracker', () => {
  const app = useApp();

  it('are integrations, people of other services and attachments of projects, which export says again', async () => {
    const tracker = {
      teams: [{ key: 'ENG' }],
      integrations: [
        { service: 'github', as: 'admin' },
        { service: 'slack', team: 'ENG', as: 'admin' },
      ],
      external_users: [
        { name: 'Ada', display_name: 'Ada', email: 'ada@other.example' },
        { name: 'Bot', display_name: 'bot' },
      ],
      projects: [
        {
          name: 'Q1',
          teams: ['ENG'],
          attachments: [{ url: 'http://127.0.0.1:9/board', title: 'Board', metadata: { n: 1 }, as: 'admin' }],
        },
      ],
    };
    const { body: made, ctl } = await makeSandbox(app, { tracker });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    expect(body.tracker.integrations).toEqual(tracker.integrations);
    expect(body.tracker.external_users).toEqual(tracker.external_users);
    expect(body.tracker.projects[0].attachments).toEqual(tracker.projects[0]?.attachments);
    const query = `{ integrations { nodes { id service team { key } creator { id } organization { id } } }
      organization { integrations { nodes { service } } }
      externalUsers { nodes { id name displayName email avatarUrl lastSeen organization { id } } }
      projects { nodes { attachments { nodes { title url metadata creator { id } } } } } }`;
    const key = { authorization: made.credentials.api_key };
    const { data } = (await send(app, 'POST', '/graphql', key, { query })).body;
    expect(data.integrations.nodes).toMatchObject([{ service: 'slack', team: { key: 'ENG' } }, { service: 'github' }]);
    expect(data.organization.integrations.nodes).toHaveLength(2);
    expect(data.externalUsers.nodes.map((one: { email: string | null }) => one.email)).toEqual([
      null,
      'ada@other.example',
    ]);
    expect(data.projects.nodes[0].attachments.nodes).toMatchObject([{ title: 'Board', metadata: { n: 1 } }]);
    const [{ id: integration }, { id: person }] = [data.integrations.nodes[0], data.externalUsers.nodes[0]];
    const one = `{ integration(id: "${integration}") { service } externalUser(id: "${person}") { name } }`;
    expect((await send(app, 'POST', '/graphql', key, { query: one })).body.data).toEqual({
      integration: { service: 'slack' },
      externalUser: { name: 'Bot' },
    });
  });

  it('are none in a new organization', async () => {
    const org = await app.organization();
    const client = org.client();
    expect((await client.integrations()).nodes).toEqual([]);
    expect((await client.externalUsers()).nodes).toEqual([]);
    expect((await (await client.organization).integrations()).nodes).toEqual([]);
  });
});

// docs/reference/tracker.md#project
describe('the history of a project', () => {
  const app = useApp();

  it('has one entry a mutation, with what it changed', async () => {
    const org = await app.organization();
    const client = org.client();
    const id = (await client.createProject({ name: 'Q1', teamIds: [org.team.id] })).projectId!;
    expect((await (await client.project(id)).history()).nodes).toEqual([]);
    await client.updateProject(id, { name: 'Q2', priority: 1, sortOrder: 7 });
    app.clock.advance(1000);
    await client.updateProject(id, { leadId: org.user.id });
    const { nodes } = await (await client.project(id)).history();
    expect(nodes.map(({ entries }) => entries)).toEqual([
      [
        { type: 'leadId', from: null, to: org.user.id },
        { type: 'memberIds', from: [], to: [org.user.id] },
      ],
      [
        { type: 'name', from: 'Q1', to: 'Q2' },
        { type: 'priority', from: 0, to: 1 },
      ],
    ]);
  });
});
