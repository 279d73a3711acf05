import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const anId = '11111111-1111-4111-8111-111111111111';
const DAY_MS = 86_400_000;

// docs/reference/tracker.md#customview
describe('custom views', () => {
  const app = useApp();

  it('are made of a filter, found by id and slug, changed, listed and deleted', async () => {
    const org = await app.organization();
    const client = org.client();
    const input = { name: 'My bugs', filterData: { title: { contains: 'bug' } }, color: '#112233', shared: true };
    const view = (await (await client.createCustomView(input)).customView)!;
    expect(view).toMatchObject({
      name: 'My bugs',
      color: '#112233',
      modelName: 'Issue',
      shared: true,
      filterData: { title: { contains: 'bug' } },
      filters: { title: { contains: 'bug' } },
    });
    expect(view.slugId).toMatch(/^[0-9a-f]{12}$/);
    expect([(await view.owner)?.id, (await view.creator)?.id, (await view.organization).id, await view.team]).toEqual([
      org.user.id,
      org.user.id,
      org.id,
      undefined,
    ]);
    expect((await client.customView(`my-bugs-${view.slugId}`)).id).toBe(view.id);
    const preferences = [view.organizationViewPreferences, view.userViewPreferences, view.viewPreferencesValues];
    expect(await Promise.all(preferences)).toEqual([undefined, undefined, undefined]);
    app.clock.advance(1000);
    const projects = { name: 'Alphas', projectFilterData: { name: { startsWith: 'A' } }, teamId: org.team.id };
    const second = (await (await client.createCustomView(projects)).customView)!;
    expect([second.modelName, second.shared, (await second.team)?.id]).toEqual(['Project', false, org.team.id]);
    const bob = await org.member();
    await bob.client().updateCustomView(view.id, { name: 'Bugs', projectFilterData: {} });
    const changed = await client.customView(view.id);
    expect([changed.name, changed.modelName, (await changed.updatedBy)?.id]).toEqual(['Bugs', 'Project', bob.user.id]);
    await client.updateCustomView(view.id, { projectFilterData: null });
    const names = async (filter: object, sort?: object[]) =>
      (await client.customViews({ filter, sort } as never)).nodes.map(({ name }) => name);
    expect(await names({})).toEqual(['Alphas', 'Bugs']);
    expect(await names({ modelName: { eq: 'Issue' } })).toEqual(['Bugs']);
    expect(await names({ team: { key: { eq: 'ENG' } } })).toEqual(['Alphas']);
    expect(await names({ shared: { eq: true }, creator: { id: { eq: org.user.id } } })).toEqual(['Bugs']);
    expect(await names({}, [{ name: { order: 'Descending' } }])).toEqual(['Bugs', 'Alphas']);
    expect(await names({}, [{ shared: { order: 'Descending' } }])).toEqual(['Bugs', 'Alphas']);
    await client.deleteCustomView(view.id);
    expect(await refusal(client.customView(view.id))).toEqual(notFound('CustomView'));
    const kinds = ['created', 'updated', 'removed'].map(
      async (kind) => (await org.recorded(`customView.${kind}`)).length,
    );
    expect(await Promise.all(kinds)).toEqual([2, 2, 1]);
    expect(isFiring('CustomView')).toBe(false);
  });

  it('show what the caller sees of their filter and the arguments together', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const client = org.client();
    const make = builds(org);
    const secret = (await client.createTeam({ name: 'Secret', private: true })).teamId!;
    await make.issue({ title: 'A bug', priority: 1 });
    await make.issue({ title: 'Another bug', priority: 2 });
    await make.issue({ title: 'A wish', priority: 1 });
    await client.createIssue({ teamId: secret, title: 'A secret bug', priority: 1 });
    await make.project({ name: 'Alpha' });
    await make.project({ name: 'Beta' });
    const filterData = { title: { contains: 'bug' } };
    const id = (await client.createCustomView({ name: 'Bugs', filterData, shared: true })).customViewId!;
    const titles = async (of: typeof client, args: object = {}) =>
      (await (await of.customView(id)).issues(args)).nodes.map(({ title }) => title).toSorted();
    expect(await titles(client)).toEqual(['A bug', 'A secret bug', 'Another bug']);
    expect(await titles(bob.client())).toEqual(['A bug', 'Another bug']);
    expect(await titles(client, { filter: { priority: { eq: 2 } } })).toEqual(['Another bug']);
    const page = await (
      await client.customView(id)
    ).issues({ first: 2, sort: [{ title: { order: 'Ascending' } }] } as never);
    expect([page.nodes.map(({ title }) => title), page.pageInfo.hasNextPage]).toEqual([
      ['A bug', 'A secret bug'],
      true,
    ]);
    expect((await (await client.customView(id)).projects()).nodes).toEqual([]);
    expect((await (await client.customView(id)).initiatives()).nodes).toEqual([]);
    const ofProjects = { name: 'A', projectFilterData: { name: { startsWith: 'A' } } };
    const other = (await (await client.createCustomView(ofProjects)).customView)!;
    expect((await other.projects()).nodes.map(({ name }) => name)).toEqual(['Alpha']);
    expect((await other.issues()).nodes).toEqual([]);
  });

  it('match nothing by what is gone, and count durations from when they are read', async () => {
    const org = await app.organization();
    const client = org.client();
    const label = (await (await client.createIssueLabel({ name: 'Gone' })).issueLabel)!;
    await client.createIssue({ teamId: org.team.id, title: 'x', labelIds: [label.id] });
    const filterData = { labels: { some: { id: { eq: label.id } } } };
    const view = (await (await client.createCustomView({ name: 'Gone', filterData })).customView)!;
    expect((await view.issues()).nodes).toHaveLength(1);
    await client.deleteIssueLabel(label.id);
    expect((await view.issues()).nodes).toEqual([]);
    const recent = { createdAt: { gt: '-P1D' }, dueDate: { lt: 'P1W' } } as never;
    const due = new Date(app.clock.now().getTime() + 2 * DAY_MS).toISOString().slice(0, 10);
    await client.createIssue({ teamId: org.team.id, title: 'Due', dueDate: due });
    const relative = (await (await client.createCustomView({ name: 'Recent', filterData: recent })).customView)!;
    expect(relative.filterData).toEqual({ createdAt: { gt: '-P1D' }, dueDate: { lt: 'P1W' } });
    expect((await relative.issues()).nodes.map(({ title }) => title)).toEqual(['Due']);
    app.clock.advance(2 * DAY_MS);
    expect((await relative.issues()).nodes).toEqual([]);
  });

  it('that are not shared are their owner’s alone', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const client = org.client();
    const { id } = (await (await client.createCustomView({ name: 'Mine', filterData: {} })).customView)!;
    expect(await refusal(bob.client().customView(id))).toEqual(notFound('CustomView'));
    expect(await refusal(bob.client().updateCustomView(id, { shared: true }))).toEqual(notFound('CustomView'));
    expect((await bob.client().customViews()).nodes).toEqual([]);
    const [created] = await org.recorded('customView.created');
    expect(created!.room).toBe(`org:${org.id}/users/${org.user.id}`);
    await client.updateCustomView(id, { shared: true });
    expect((await bob.client().customViews()).nodes.map((one) => one.id)).toEqual([id]);
    expect((await org.recorded('customView.updated'))[0]!.room).toBe(`org:${org.id}`);
    await client.updateCustomView(id, { ownerId: bob.user.id, shared: false });
    expect(await refusal(client.customView(id))).toEqual(notFound('CustomView'));
    expect((await bob.client().customView(id)).name).toBe('Mine');
  });

  it('refuse filters that lists would refuse, that cost too much, and unknown things', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = (input: object) => refusal(client.createCustomView({ name: 'V', ...input } as never));
    expect(await make({ filterData: { assignee: { id: { eq: 'nobody' } } } })).toEqual(
      invalidArgument('eq must be a UUID.'),
    );
    const deep = { children: { some: { children: { some: { children: { some: { children: {} } } } } } } };
    expect(await make({ filterData: deep })).toEqual(
      invalidArgument('filterData must not ask for more than 1000 points.'),
    );
    expect(await make({ teamId: anId })).toEqual(unknownReference('teamId'));
    expect(await make({ ownerId: anId })).toEqual(unknownReference('ownerId'));
    expect(await make({ projectId: anId })).toEqual(unknownReference('projectId'));
    expect(await make({ initiativeId: anId })).toEqual(unknownReference('initiativeId'));
    expect(await make({ name: 'x'.repeat(81) })).toEqual(
      invalidArgument('name must be shorter than or equal to 80 characters.'),
    );
  });

  it('come with seed documents, which export says again', async () => {
    const views = [
      { name: 'Bugs', filter_data: { title: { contains: 'bug' } }, shared: true, owner: 'alice', as: 'admin' },
      { name: 'Odd', filter_data: { nothing: 1 }, team: 'ENG', owner: 'admin', as: 'admin' },
    ];
    const tracker = { teams: [{ key: 'ENG', issues: [{ title: 'A bug' }] }], views };
    const { body: made, ctl } = await makeSandbox(app, { users: ['alice'], tracker });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    expect(body.tracker.views).toEqual(views);
    const ask = (query: string) =>
      send(app, 'POST', '/graphql', { authorization: made.credentials.api_key }, { query });
    const shown = await ask('{ customViews { nodes { name issues { nodes { title } } } } }');
    expect(shown.body.errors[0].message).toContain('Argument Validation Error');
    const bugs = await ask(
      '{ customViews(filter: { name: { eq: "Bugs" } }) { nodes { issues { nodes { title } } } } }',
    );
    expect(bugs.body.data.customViews.nodes).toEqual([{ issues: { nodes: [{ title: 'A bug' }] } }]);
  });

  it('of a copy name its own things in their filters', async () => {
    const { body: made, ctl } = await makeSandbox(app, { tracker: { labels: [{ name: 'Bug' }] } });
    const ask = async (key: string, query: string, variables: object = {}) =>
      (await send(app, 'POST', '/graphql', { authorization: key }, { query, variables })).body.data;
    const labelOf = async (key: string): Promise<string> =>
      (await ask(key, '{ issueLabels { nodes { id } } }')).issueLabels.nodes[0].id;
    const own = await labelOf(made.credentials.api_key);
    await ask(
      made.credentials.api_key,
      'mutation ($input: CustomViewCreateInput!) { customViewCreate(input: $input) { success } }',
      { input: { name: 'Bugs', filterData: { labels: { some: { id: { eq: own } } } } } },
    );
    const { body: snapshot } = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'full' });
    const { body: copy } = await makeSandbox(app, { from: snapshot.id });
    const its = await labelOf(copy.credentials.api_key);
    expect(its).not.toBe(own);
    const { customViews } = await ask(copy.credentials.api_key, '{ customViews { nodes { filterData } } }');
    expect(customViews.nodes).toEqual([{ filterData: { labels: { some: { id: { eq: its } } } } }]);
  });
});
