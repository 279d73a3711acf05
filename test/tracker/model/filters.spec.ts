import { beforeAll, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../src/tracker/store/entity-rows.js';
import { page } from '../../../src/tracker/query/page.js';
import type { Viewer } from '../../../src/tracker/access/viewer.js';
import { Issue } from '../../../src/tracker/entities.js';
import { changeRows } from '../../support/rows.js';
import { makeFilteredRows } from './filtered-rows.js';
import { TestOrganization, useStore } from './tracker-data.js';

/** One step of EXPLAIN. */
interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

function rowsReadIn(node: PlanNode): number {
  const { 'Actual Rows': found, 'Actual Loops': loops, Plans: inner = [] } = node;
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return (found + dropped) * loops + inner.reduce((sum, each) => sum + rowsReadIn(each), 0);
}

describe('filters', () => {
  const store = useStore();
  const now = new Date('2026-06-15T12:00:00Z');
  let { organization, viewer, names, ada, bob, team, one, two, three, four, group, project } = {} as Awaited<
    ReturnType<typeof makeFilteredRows>
  >;

  /** The sorted names of the rows that match a filter. */
  async function match(entity: EntityKey, filter: object, as: Viewer = viewer): Promise<string[]> {
    const args = { filter, first: 250, includeArchived: true, includeDisabled: true };
    const { nodes } = await page(store.db, entity, { viewer: as, now, args });
    return nodes.map(({ id }) => names.get(id) ?? id).sort();
  }
  const issues = (filter: object) => match('Issue', filter);
  const idOf = new Map<string, string>();

  beforeAll(async () => {
    ({ organization, viewer, names, ada, bob, team, one, two, three, four, group, project } =
      await makeFilteredRows(store));
    for (const [id, name] of names) idOf.set(name, id);
  });

  const all = ['four', 'one', 'three', 'two'];

  it('match everything without keys, with null keys and with empty lists', async () => {
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

  it('compare times and days', async () => {
    expect(await issues({ completedAt: { gt: new Date('2026-06-13T00:00:00Z') } })).toEqual(['two']);
    expect(await issues({ completedAt: { null: true } })).toEqual(['four', 'one', 'three']);
    expect(await issues({ dueDate: { lt: '2026-07-01' } })).toEqual(['one']);
    expect(await issues({ dueDate: { nin: ['2026-06-16'] } })).toEqual(['two']);
    expect(await issues({ archivedAt: { null: false } })).toEqual(['four']);
    expect(await match('Project', { startDate: { gt: new Date('2026-06-19T23:59:59Z') } })).toEqual(['project']);
    expect(await match('Project', { startDate: { eq: new Date('2026-06-20T00:00:00Z') } })).toEqual(['project']);
    expect(await match('Project', { startDate: { lt: new Date('2026-06-20T00:00:00Z') } })).toEqual([]);
  });

  it('accept ids in every form', async () => {
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

  it('test nullable relations for null, alone and with other conditions', async () => {
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

  it('test collections for some, every and length', async () => {
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

  it.each<[EntityKey, string, EntityKey, object]>([
    ['Issue', 'parent', 'Issue', { project: { name: { eq: 'Launch' } } }],
    ['Issue', 'parent', 'Issue', { assignee: { null: false } }],
    ['Issue', 'parent', 'Issue', { cycle: { null: true } }],
    ['Issue', 'project', 'Project', { issues: { some: { title: { contains: 'Login' } } } }],
    ['Issue', 'project', 'Project', { issues: { every: { title: { contains: 'nothing' } } } }],
    ['Issue', 'project', 'Project', { issues: { null: true } }],
    ['Issue', 'project', 'Project', { members: { length: { eq: 2 } }, lead: { isMe: { eq: true } } }],
    ['Issue', 'project', 'Project', { accessibleTeams: { issues: { every: { creator: { null: false } } } } }],
    ['Issue', 'parent', 'Issue', { labels: { every: { parent: { name: { eq: 'Kind' } } } } }],
    ['Issue', 'parent', 'Issue', { labels: { some: { team: { key: { eq: 'ENG' } } } } }],
    ['Issue', 'state', 'WorkflowState', { issues: { length: { gt: 1 } } }],
    ['Issue', 'state', 'WorkflowState', { issues: { every: { parent: { null: true } } } }],
    ['Issue', 'assignee', 'User', { assignedIssues: { some: { children: { length: { gt: 0 } } } } }],
    ['Comment', 'issue', 'Issue', { subscribers: { isMe: { eq: true } }, comments: { length: { gt: 1 } } }],
    ['Comment', 'issue', 'Issue', { children: { every: { description: { neq: 'x' } } } }],
  ])('match the same below another relation: %s by %s, a %s with %j', async (entity, relation, related, filter) => {
    const names = await match(related, filter);
    const ids = names.map((name) => idOf.get(name) ?? name);
    expect(await match(entity, { [relation]: filter })).toEqual(
      await match(entity, { [relation]: { id: { in: ids } } }),
    );
    expect(await match(entity, { [relation]: { and: [filter, { id: { in: ids } }] } })).toEqual(
      await match(entity, { [relation]: filter }),
    );
  });

  it('read each row a constant number of times, however deep they are', async () => {
    const large = await TestOrganization.create(store);
    const asker = large.viewer(await large.user());
    const place = await large.team();
    const [state, full] = [await large.state(place), await large.project([place])];
    const count = 100;
    for (let n = 0; n < count; n++) await large.issue(place, state, { projectId: full.id, title: `Issue ${n}` });
    const within = (filter: object) => ({ project: { issues: { some: filter } } });
    const deep = within(within({ title: { contains: 'nowhere' } }));
    store.statements.length = 0;
    await page(store.db, 'Issue', { viewer: asker, now, args: { filter: deep } });
    const sent = store.statements.find((text) => text.includes('LIKE'));
    const [{ 'QUERY PLAN': plans }] = (await store.dataSource.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sent}`,
      [large.id, '%nowhere%'],
    )) as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }];
    expect(rowsReadIn(plans[0].Plan)).toBeLessThan(10 * count);
  });

  it('count a null as no match in `every`', async () => {
    // three's description is null, so not every child has a different one
    expect(await issues({ children: { every: { description: { neq: 'x' } }, length: { gt: 0 } } })).toEqual([]);
  });

  it('compare derived values', async () => {
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
    await changeRows(store, Issue, { id: four.id }, { parentId: one.id });
    expect(await match('Issue', { parent: { null: true } }, outsider)).toEqual(['four']);
    expect(await match('Issue', { parent: { title: { neq: 'x' } } }, outsider)).toEqual([]);
    await changeRows(store, Issue, { id: four.id }, { parentId: null });
    expect(two.id).not.toBe(four.id);
  });

  it('do not see into other organizations', async () => {
    const foreign = await TestOrganization.create(store);
    const outsider = foreign.viewer(await foreign.user());
    for (const entity of ['Issue', 'Comment', 'Project', 'Team', 'WorkflowState', 'Cycle', 'IssueLabel'] as const) {
      expect(await match(entity, {}, outsider)).toEqual([]);
    }
    expect(await match('Issue', { id: { eq: one.id } }, outsider)).toEqual([]);
    // an issue that refers to another organization, which no mutation would create
    const place = await foreign.team();
    const strange = await foreign.issue(place, await foreign.state(place), { assigneeId: ada.id });
    expect(await match('Issue', { assignee: { name: { eq: 'Ada' } } }, outsider)).toEqual([]);
    expect(await match('Issue', { assignee: { null: true } }, outsider)).toEqual([strange.id]);
  });
});
