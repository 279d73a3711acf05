import { IssueSubscriber, ProjectMember } from '../../../src/tracker/entities.js';
import { insertRows } from '../../support/rows.js';
import { TestOrganization, type TestStore } from './tracker-data.js';

/** Four issues and their references: each filter matches some of them. */
export async function makeFilteredRows(store: TestStore) {
  const organization = await TestOrganization.create(store);
  const names = new Map<string, string>();
  const named = async <T extends { id: string }>(name: string, made: Promise<T>): Promise<T> => {
    const row = await made;
    names.set(row.id, name);
    return row;
  };
  const ada = await named('ada', organization.user({ displayName: 'ada', name: 'Ada', admin: true, owner: true }));
  const bob = await named('bob', organization.user({ displayName: 'bob', name: 'Bob', active: false }));
  const viewer = organization.viewer(ada);
  const team = await named(
    'ENG',
    organization.team({ key: 'ENG', name: 'Engineering', description: 'Builds' }, [ada, bob]),
  );
  const other = await named('OPS', organization.team({ key: 'OPS', name: 'Ops' }));
  const todo = await named('todo', organization.state(team, { name: 'Todo', type: 'unstarted', position: 1 }));
  const done = await named(
    'done',
    organization.state(team, { name: 'Done', type: 'completed', position: 3, description: 'Over' }),
  );
  const open = await named('open', organization.state(other, { name: 'Open' }));
  const group = await named('group', organization.label({ name: 'Kind', isGroup: true, creatorId: ada.id }));
  const bug = await named('bug', organization.label({ name: 'Bug', parentId: group.id, creatorId: ada.id }));
  const late = await named('late', organization.label({ name: 'Late', teamId: team.id }));
  const project = await named(
    'project',
    organization.project([team], { name: 'Launch', leadId: ada.id, startDate: '2026-06-20', priority: 2 }),
  );
  const memberOf = { projectId: project.id };
  await insertRows(store, ProjectMember, [
    { ...memberOf, userId: ada.id },
    { ...memberOf, userId: bob.id },
  ]);
  const day = (n: number) => new Date(Date.UTC(2026, 5, n));
  await named('past', organization.cycle(team, { number: 1, name: 'Past', startsAt: day(1), endsAt: day(8) }));
  const current = await named('now', organization.cycle(team, { number: 2, startsAt: day(8), endsAt: day(20) }));
  await named('next', organization.cycle(team, { number: 3, startsAt: day(20), endsAt: day(27) }));
  await named('later', organization.cycle(team, { number: 4, startsAt: day(27), endsAt: day(30) }));
  const one = await named(
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
  const two = await named(
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
  const three = await named(
    'three',
    organization.issue(team, todo, {
      number: 3,
      identifier: 'ENG-3',
      title: 'Three',
      creatorId: bob.id,
      parentId: one.id,
    }),
  );
  const four = await named(
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
  await insertRows(store, IssueSubscriber, [
    { issueId: one.id, userId: ada.id },
    { issueId: two.id, userId: bob.id },
  ]);
  return { organization, viewer, names, ada, bob, team, one, two, three, four, bug, group, project };
}
