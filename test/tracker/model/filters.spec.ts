import { beforeAll, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../src/tracker/store/entity-rows.js';
import { page } from '../../../src/tracker/query/page.js';
import type { Viewer } from '../../../src/tracker/access/viewer.js';
import { TestOrganization, useStore } from './tracker-data.js';

describe('filters', () => {
  const store = useStore();
  const now = new Date('2026-06-15T12:00:00Z');
  let organization: TestOrganization;
  let viewer: Viewer;
  let names: Map<string, string>;
  type Made = { id: string };
  let ada: Made, bob: Made, team: Made & { key?: string }, other: Made & { key?: string };
  let one: Made, two: Made, three: Made, four: Made;
  let bug: Made, group: Made, project: Made & { slugId?: string };

  /** The names of what a filter lets through, sorted. */
  async function match(entity: EntityKey, filter: object, as: Viewer = viewer): Promise<string[]> {
    const args = { filter, first: 250, includeArchived: true, includeDisabled: true };
    const { nodes } = await page(store.db, entity, { viewer: as, now, args });
    return nodes.map(({ id }) => names.get(id) ?? id).sort();
  }
  const issues = (filter: object) => match('Issue', filter);

  beforeAll(async () => {
    organization = await TestOrganization.create(store);
    names = new Map();
    const named = async <T extends Made>(name: string, made: Promise<T>): Promise<T> => {
      const row = await made;
      names.set(row.id, name);
      return row;
    };
    ada = await named('ada', organization.user({ displayName: 'ada', name: 'Ada', admin: true, owner: true }));
    bob = await named('bob', organization.user({ displayName: 'bob', name: 'Bob', active: false }));
    viewer = organization.viewer(ada);
    team = await named(
      'ENG',
      organization.team({ key: 'ENG', name: 'Engineering', description: 'Builds' }, [ada, bob]),
    );
    other = await named('OPS', organization.team({ key: 'OPS', name: 'Ops' }));
    const todo = await named('todo', organization.state(team, { name: 'Todo', type: 'unstarted', position: 1 }));
    const done = await named(
      'done',
      organization.state(team, { name: 'Done', type: 'completed', position: 3, description: 'Over' }),
    );
    const open = await named('open', organization.state(other, { name: 'Open' }));
    group = await named('group', organization.label({ name: 'Kind', isGroup: true, creatorId: ada.id }));
    bug = await named('bug', organization.label({ name: 'Bug', parentId: group.id, creatorId: ada.id }));
    const late = await named('late', organization.label({ name: 'Late', teamId: team.id }));
    project = await named(
      'project',
      organization.project([team], { name: 'Launch', leadId: ada.id, startDate: '2026-06-20', priority: 2 }),
    );
    await organization.link('project_members', project.id, ada.id);
    await organization.link('project_members', project.id, bob.id);
    const day = (n: number) => new Date(Date.UTC(2026, 5, n));
    await named('past', organization.cycle(team, { number: 1, name: 'Past', startsAt: day(1), endsAt: day(8) }));
    const current = await named('now', organization.cycle(team, { number: 2, startsAt: day(8), endsAt: day(20) }));
    await named('next', organization.cycle(team, { number: 3, startsAt: day(20), endsAt: day(27) }));
    await named('later', organization.cycle(team, { number: 4, startsAt: day(27), endsAt: day(30) }));
    one = await named(
      'one',
      organization.issue(team, todo, {
        number: 1,
        identifier: 'ENG-1',
        title: 'Login FAILS at 100%',
        description: 'Crème brûlée',
        priority: 1,
        estimate: 0,
        dueDate: '2026-06-16',
        assigneeId: ada.id,
        creatorId: ada.id,
        labelIds: [bug.id, late.id],
        projectId: project.id,
        cycleId: current.id,
      }),
    );
    two = await named(
      'two',
      organization.issue(team, done, {
        number: 2,
        identifier: 'ENG-2',
        title: 'login fails_at a\\b',
        estimate: 3,
        dueDate: '2026-07-20',
        assigneeId: bob.id,
        creatorId: ada.id,
        labelIds: [bug.id],
        parentId: one.id,
        completedAt: new Date('2026-06-14T00:00:00Z'),
      }),
    );
    three = await named(
      'three',
      organization.issue(team, todo, {
        number: 3,
        identifier: 'ENG-3',
        title: 'Three',
        creatorId: bob.id,
        parentId: one.id,
      }),
    );
    four = await named(
      'four',
      organization.issue(other, open, {
        number: 1,
        identifier: 'OPS-1',
        title: 'Four',
        archivedAt: new Date('2026-06-01T00:00:00Z'),
      }),
    );
    const first = await named('first', organization.comment({ issueId: one.id, userId: ada.id, body: 'Agreed' }));
    await named('reply', organization.comment({ issueId: one.id, userId: bob.id, parentId: first.id, body: 'Why?' }));
    await named('note', organization.comment({ projectId: project.id, userId: ada.id, body: 'Go' }));
    await organization.link('issue_subscribers', one.id, ada.id);
    await organization.link('issue_subscribers', two.id, bob.id);
  });

  const all = ['four', 'one', 'three', 'two'];

  it('without keys, with null keys and with empty lists let everything through', async () => {
    for (const filter of [
      {},
      { title: null },
      { title: {} },
      { title: { eq: null } },
      { and: [], or: [] },
      { labels: {} },
      { assignee: {} },
    ]) {
      expect(await issues(filter)).toEqual(all);
    }
  });

  it.each<[object, string[]]>([
    [{ eq: 'Three' }, ['three']],
    [{ eq: 'three' }, []],
    [{ neq: 'Three' }, ['four', 'one', 'two']],
    [{ in: ['Three', 'Four'] }, ['four', 'three']],
    [{ in: [] }, []],
    [{ nin: ['Three', 'Four'] }, ['one', 'two']],
    [{ nin: [] }, all],
    [{ eqIgnoreCase: 'tHREE' }, ['three']],
    [{ neqIgnoreCase: 'tHREE' }, ['four', 'one', 'two']],
    [{ startsWith: 'Login' }, ['one']],
    [{ startsWithIgnoreCase: 'LOGIN' }, ['one', 'two']],
    [{ notStartsWith: 'Login' }, ['four', 'three', 'two']],
    [{ endsWith: '100%' }, ['one']],
    [{ endsWith: '%' }, ['one']],
    [{ notEndsWith: '%' }, ['four', 'three', 'two']],
    [{ contains: '_' }, ['two']],
    [{ contains: '\\' }, ['two']],
    [{ contains: 'FAILS' }, ['one']],
    [{ containsIgnoreCase: 'fails' }, ['one', 'two']],
    [{ notContains: 'FAILS' }, ['four', 'three', 'two']],
    [{ notContainsIgnoreCase: 'fails' }, ['four', 'three']],
    [{ contains: "'; DROP TABLE issues; --" }, []],
    [{ startsWith: 'Login', contains: 'zzz' }, []],
  ])('compare text by %j', async (title, want) => {
    expect(await issues({ title })).toEqual(want);
  });

  it.each<[object, string[]]>([
    [{ containsIgnoreCaseAndAccent: 'CREME brulée' }, ['one']],
    [{ null: true }, ['four', 'three', 'two']],
    [{ null: false }, ['one']],
    [{ neq: 'x' }, ['one']],
    [{ nin: ['x'] }, ['one']],
    [{ nin: [] }, ['one']],
    [{ notContains: 'x' }, ['one']],
    [{ neqIgnoreCase: 'x' }, ['one']],
  ])('match no null text but by `null`: %j', async (description, want) => {
    expect(await issues({ description })).toEqual(want);
  });

  it('compare numbers, and estimates with their own and/or', async () => {
    expect(await issues({ number: { gte: 2 } })).toEqual(['three', 'two']);
    expect(await issues({ number: { lt: 1.5 } })).toEqual(['four', 'one']);
    expect(await issues({ number: { in: [1, 3, 1e300] } })).toEqual(['four', 'one', 'three']);
    expect(await issues({ priority: { eq: 1 } })).toEqual(['one']);
    expect(await issues({ estimate: { neq: 3 } })).toEqual(['one']);
    expect(await issues({ estimate: { null: true } })).toEqual(['four', 'three']);
    expect(await issues({ estimate: { or: [{ null: true }, { gt: 2 }] } })).toEqual(['four', 'three', 'two']);
    expect(await issues({ estimate: { and: [{ gt: -1 }, { lt: 3 }], null: false } })).toEqual(['one']);
  });

  it('compare moments and days', async () => {
    expect(await issues({ completedAt: { gt: new Date('2026-06-13T00:00:00Z') } })).toEqual(['two']);
    expect(await issues({ completedAt: { null: true } })).toEqual(['four', 'one', 'three']);
    expect(await issues({ dueDate: { lt: '2026-07-01' } })).toEqual(['one']);
    expect(await issues({ dueDate: { nin: ['2026-06-16'] } })).toEqual(['two']);
    expect(await issues({ archivedAt: { null: false } })).toEqual(['four']);
    expect(await match('Project', { startDate: { gt: new Date('2026-06-19T23:59:59Z') } })).toEqual(['project']);
    expect(await match('Project', { startDate: { eq: new Date('2026-06-20T00:00:00Z') } })).toEqual(['project']);
    expect(await match('Project', { startDate: { lt: new Date('2026-06-20T00:00:00Z') } })).toEqual([]);
  });

  it('take ids in every form', async () => {
    expect(await issues({ id: { eq: one.id } })).toEqual(['one']);
    expect(await issues({ id: { eq: one.id.toUpperCase() } })).toEqual(['one']);
    expect(await issues({ id: { in: ['eng-2', three.id, 'neither of both'] } })).toEqual(['three', 'two']);
    expect(await issues({ id: { eq: 'neither of both' } })).toEqual([]);
    expect(await issues({ id: { nin: ['ENG-2', 'neither of both'] } })).toEqual(['four', 'one', 'three']);
    expect(await issues({ project: { id: { eq: project.slugId } } })).toEqual(['one']);
    expect(await match('User', { id: { neq: ada.id } })).toEqual(['bob']);
  });

  it('follow relations, which must exist', async () => {
    expect(await issues({ state: { type: { eq: 'completed' } } })).toEqual(['two']);
    expect(await issues({ number: { eq: 1 }, team: { key: { eq: 'ENG' } } })).toEqual(['one']);
    expect(await issues({ assignee: { name: { neq: 'Ada' } } })).toEqual(['two']);
    expect(await issues({ parent: { title: { startsWith: 'Login' } } })).toEqual(['three', 'two']);
    expect(await issues({ parent: { parent: { null: true } } })).toEqual(['three', 'two']);
    expect(await issues({ project: { lead: { isMe: { eq: true } } } })).toEqual(['one']);
    expect(await match('IssueLabel', { parent: { name: { eq: 'Kind' } } })).toEqual(['bug']);
    expect(await match('Comment', { user: { isMe: { eq: true } } })).toEqual(['first', 'note']);
    expect(await match('Comment', { issue: { null: true } })).toEqual(['note']);
    expect(await match('WorkflowState', { team: { key: { eq: 'OPS' } } })).toEqual(['open']);
  });

  it('ask nullable relations for null, alone and among others', async () => {
    expect(await issues({ assignee: { null: true } })).toEqual(['four', 'three']);
    expect(await issues({ assignee: { null: false } })).toEqual(['one', 'two']);
    expect(await issues({ assignee: { null: true, name: { eq: 'Ada' } } })).toEqual([]);
    expect(await issues({ assignee: { or: [{ null: true }, { name: { eq: 'Ada' } }] } })).toEqual([
      'four',
      'one',
      'three',
    ]);
    expect(await issues({ or: [{ assignee: { null: true } }, { state: { name: { eq: 'Done' } } }] })).toEqual([
      'four',
      'three',
      'two',
    ]);
    expect(await issues({ delegate: { null: true } })).toEqual(all);
    expect(await issues({ delegate: { null: false } })).toEqual([]);
    expect(await issues({ delegate: { name: { neq: 'x' } } })).toEqual([]);
    expect(await issues({ delegate: { or: [{ null: true }, { name: { eq: 'x' } }] } })).toEqual(all);
    expect(await match('Team', { parent: { null: true } })).toEqual(['ENG', 'OPS']);
  });

  it('ask collections for some, every and how many', async () => {
    expect(await issues({ labels: { name: { eq: 'Bug' } } })).toEqual(['one', 'two']);
    expect(await issues({ labels: { name: { eq: 'Bug' }, team: { null: false } } })).toEqual([]);
    expect(await issues({ labels: { and: [{ name: { eq: 'Bug' } }, { name: { eq: 'Late' } }] } })).toEqual(['one']);
    expect(await issues({ labels: { or: [{ name: { eq: 'Late' } }, { length: { eq: 0 } }] } })).toEqual([
      'four',
      'one',
      'three',
    ]);
    expect(await issues({ labels: { some: { name: { eq: 'Late' } } } })).toEqual(['one']);
    expect(await issues({ labels: { every: { name: { eq: 'Bug' } } } })).toEqual(['four', 'three', 'two']);
    expect(await issues({ labels: { every: { name: { eq: 'Bug' } }, length: { gt: 0 } } })).toEqual(['two']);
    expect(await issues({ labels: { null: true } })).toEqual(['four', 'three']);
    expect(await issues({ labels: { null: false } })).toEqual(['one', 'two']);
    expect(await issues({ labels: { length: { in: [1, 2] } } })).toEqual(['one', 'two']);
    expect(await issues({ labels: { parent: { id: { eq: group.id } } } })).toEqual(['one', 'two']);
    expect(await issues({ children: { length: { gt: 0 } } })).toEqual(['one']);
    expect(await issues({ children: { assignee: { null: true } } })).toEqual(['one']);
    expect(await issues({ comments: { body: { contains: '?' } } })).toEqual(['one']);
    expect(await issues({ comments: { every: { user: { isMe: { eq: true } } } } })).toEqual(['four', 'three', 'two']);
    expect(await issues({ subscribers: { isMe: { eq: true } } })).toEqual(['one']);
    expect(await match('Project', { members: { every: { active: { eq: true } } } })).toEqual([]);
    expect(await match('Project', { members: { length: { eq: 2 } } })).toEqual(['project']);
    expect(await match('Project', { accessibleTeams: { id: { eq: team.id } } })).toEqual(['project']);
    expect(await match('Team', { members: { active: { eq: false } } })).toEqual(['ENG']);
    expect(await match('User', { assignedIssues: { state: { type: { eq: 'completed' } } } })).toEqual(['bob']);
  });

  it('count a null as no match in `every`', async () => {
    // three's description is null, so not every child has another one
    expect(await issues({ children: { every: { description: { neq: 'x' } }, length: { gt: 0 } } })).toEqual([]);
  });

  it('compare what is derived', async () => {
    expect(await match('Cycle', { isActive: { eq: true } })).toEqual(['now']);
    expect(await match('Cycle', { isFuture: { eq: true } })).toEqual(['later', 'next']);
    expect(await match('Cycle', { isNext: { eq: true } })).toEqual(['next']);
    expect(await match('Cycle', { isPast: { neq: false } })).toEqual(['past']);
    expect(await match('Cycle', { isPrevious: { eq: true } })).toEqual(['past']);
    expect(await match('Cycle', { isPrevious: { eq: false } })).toEqual(['later', 'next', 'now']);
    expect(await match('Cycle', { completedAt: { eq: new Date('2026-06-08T00:00:00Z') } })).toEqual(['past']);
    expect(await issues({ cycle: { isActive: { eq: true } } })).toEqual(['one']);
    expect(await match('Project', { state: { eq: 'backlog' } })).toEqual(['project']);
    expect(await match('Project', { status: { type: { neq: 'backlog' } } })).toEqual([]);
    expect(await match('Project', { status: { description: { contains: '' } } })).toEqual([]);
    expect(await match('User', { isMe: { neq: true } })).toEqual(['bob']);
  });

  it('do not see into private teams', async () => {
    const outsider = organization.viewer(bob, { hiddenTeamIds: [team.id] });
    expect(await match('Issue', {}, outsider)).toEqual(['four']);
    expect(await match('Project', {}, outsider)).toEqual([]);
    expect(await match('Comment', {}, outsider)).toEqual([]);
    expect(await match('Team', {}, outsider)).toEqual(['OPS']);
    expect(await match('WorkflowState', {}, outsider)).toEqual(['open']);
    expect(await match('Cycle', {}, outsider)).toEqual([]);
    expect(await match('IssueLabel', {}, outsider)).toEqual(['bug', 'group']);
    expect(await match('User', { assignedIssues: { length: { gt: 0 } } }, outsider)).toEqual([]);
    expect(await match('User', { assignedIssues: { title: { contains: 'ogin' } } }, outsider)).toEqual([]);
    await store.dataSource.query('UPDATE issues SET parent_id = $1 WHERE id = $2', [one.id, four.id]);
    expect(await match('Issue', { parent: { null: true } }, outsider)).toEqual(['four']);
    expect(await match('Issue', { parent: { title: { neq: 'x' } } }, outsider)).toEqual([]);
    await store.dataSource.query('UPDATE issues SET parent_id = NULL WHERE id = $1', [four.id]);
    expect(two.id).not.toBe(four.id);
  });

  it('do not see into other organizations', async () => {
    const foreign = await TestOrganization.create(store);
    const stranger = foreign.viewer(await foreign.user());
    for (const entity of ['Issue', 'Comment', 'Project', 'Team', 'WorkflowState', 'Cycle', 'IssueLabel'] as const) {
      expect(await match(entity, {}, stranger)).toEqual([]);
    }
    expect(await match('Issue', { id: { eq: one.id } }, stranger)).toEqual([]);
    // an issue that points outside, as no verb would make it
    const place = await foreign.team();
    const strange = await foreign.issue(place, await foreign.state(place), { assigneeId: ada.id });
    expect(await match('Issue', { assignee: { name: { eq: 'Ada' } } }, stranger)).toEqual([]);
    expect(await match('Issue', { assignee: { null: true } }, stranger)).toEqual([strange.id]);
  });
});
