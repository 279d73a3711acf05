import { beforeAll, describe, expect, it } from 'vitest';
import { Access } from '../../../src/tracker/access/access.js';
import { RequestLoading } from '../../../src/tracker/query/loaders.js';
import { labelsOf } from '../../../src/tracker/issues/issues.loaders.js';
import { page } from '../../../src/tracker/query/page.js';
import * as rows from '../../../src/tracker/entities.js';
import { type Viewer } from '../../../src/tracker/access/viewer.js';
import { deleteRows } from '../../support/rows.js';
import { TestOrganization, useStore } from './tracker-data.js';

const store = useStore();
type Made = { id: string };

describe('doors', () => {
  let access: Access, organization: TestOrganization;
  let ada: Viewer, bob: Viewer, outsider: Viewer;
  let open: Made, secret: Made;
  let made: Record<'issue' | 'hidden', Partial<rows.Issue> & Made>;
  let project: Partial<rows.Project> & Made, hiddenProject: Made, sharedProject: Made;
  let comment: Made, hiddenComment: Made;

  beforeAll(async () => {
    access = new Access(store.db);
    organization = await TestOrganization.create(store);
    const [a, b] = [await organization.user(), await organization.user()];
    open = await organization.team({ key: 'OPEN' }, [a, b]);
    secret = await organization.team({ key: 'SECRET', private: true }, [a]);
    ada = organization.viewer(a);
    bob = organization.viewer(b, { hiddenTeamIds: [secret.id] });
    const foreign = await TestOrganization.create(store);
    outsider = foreign.viewer(await foreign.user());
    const [state, hiddenState] = [await organization.state(open), await organization.state(secret)];
    made = {
      issue: await organization.issue(open, state, { identifier: 'OPEN-1', previousIdentifiers: ['OLD-7', 'OLDER-1'] }),
      hidden: await organization.issue(secret, hiddenState, { identifier: 'SECRET-1', previousIdentifiers: ['OLD-9'] }),
    };
    project = await organization.project([open]);
    hiddenProject = await organization.project([secret]);
    sharedProject = await organization.project([secret, open]);
    comment = await organization.comment({ issueId: made.issue.id, userId: a.id });
    hiddenComment = await organization.comment({ issueId: made.hidden.id, userId: a.id });
  });

  const outcome = (found: Promise<Made>) =>
    found.then(
      ({ id }) => id,
      (error: { kind: string }) => error.kind,
    );

  it('resolve issues by every current and previous identifier', async () => {
    for (const id of [made.issue.id, made.issue.id.toUpperCase(), 'OPEN-1', 'open-1', 'OLD-7', 'older-1']) {
      expect(await outcome(access.issues.visible(ada, id))).toBe(made.issue.id);
    }
    for (const id of ['OPEN-2', 'OLD-1', 'OPEN', '', '-1', "' OR 1=1", '\0', 'OPEN-99999999999999']) {
      expect(await outcome(access.issues.visible(ada, id))).toBe('notFound');
    }
  });

  it('prefer the current identifier of an issue to a previous one of another', async () => {
    const team = await organization.team({ key: 'OLDER' });
    const heir = await organization.issue(team, await organization.state(team), { identifier: 'OLDER-1' });
    expect(await outcome(access.issues.visible(ada, 'OLDER-1'))).toBe(heir.id);
    await deleteRows(store, rows.Issue, { id: heir.id });
  });

  it('resolve teams by key, projects by slug, users by `me`, comments by hash', async () => {
    expect(await outcome(access.teams.visible(ada, 'open'))).toBe(open.id);
    expect(await outcome(access.projects.visible(ada, project.slugId!))).toBe(project.id);
    expect(await outcome(access.projects.visible(ada, `some-name-${project.slugId}`))).toBe(project.id);
    expect(await outcome(access.projects.visible(ada, `name${project.slugId}`))).toBe('notFound');
    expect(await outcome(access.users.visible(ada, 'me'))).toBe(ada.userId);
    expect(await outcome(access.comments.byHash(ada, comment.id.slice(0, 8)))).toBe(comment.id);
    expect(await outcome(access.comments.byHash(ada, 'zzzzzzzz'))).toBe('notFound');
    expect(await outcome(access.states.visible(ada, 'nothing'))).toBe('notFound');
  });

  it('show nothing of a private team or of another organization', async () => {
    const cases: [keyof Access, string, boolean][] = [
      ['issues', made.hidden.id, false],
      ['issues', 'SECRET-1', false],
      ['issues', 'OLD-9', false],
      ['issues', made.issue.id, true],
      ['teams', secret.id, false],
      ['teams', 'SECRET', false],
      ['projects', hiddenProject.id, false],
      ['projects', sharedProject.id, true],
      ['comments', hiddenComment.id, false],
      ['comments', comment.id, true],
    ];
    for (const [door, id, isVisible] of cases) {
      const { visible } = access[door] as Access['issues'];
      const ask = (viewer: Viewer) => outcome(visible.call(access[door], viewer, id));
      expect(await ask(ada)).toMatch(/-/);
      expect(await ask(bob)).toBe(isVisible ? await ask(ada) : 'notFound');
      expect(await ask(outsider)).toBe('notFound');
    }
    expect(await outcome(access.comments.byHash(bob, hiddenComment.id.slice(0, 8)))).toBe('notFound');
  });

  it('lock rows inside a transaction, and find several in the requested order', async () => {
    await store.db.write(async (tx) => {
      expect(await access.issues.forUpdate(tx, ada, 'OPEN-1')).toMatchObject({ id: made.issue.id, labelIds: [] });
      expect(await access.comments.find(ada, comment.id, tx, 'use')).toMatchObject({ id: comment.id });
      await expect(access.issues.forUpdate(tx, outsider, 'OPEN-1')).rejects.toMatchObject({ kind: 'notFound' });
      const found = await access.projects.findMany(
        bob,
        [sharedProject.id, hiddenProject.id, 'x', project.id],
        tx,
        'change',
      );
      expect(found.map(({ id }) => id)).toEqual([sharedProject.id, project.id]);
      expect(await access.organizationForUpdate(tx, ada)).toMatchObject({ id: organization.id, lastSyncId: 0 });
    });
  });

  it('take a fixed number of statements for a page of issues with its relations', async () => {
    const big = await TestOrganization.create(store);
    const users = [await big.user(), await big.user()];
    const viewer = big.viewer(users[0]!);
    const team = await big.team();
    const states = [await big.state(team), await big.state(team)];
    const labels = [await big.label(), await big.label()];
    const own = await big.project([team]);
    for (let i = 0; i < 60; i++) {
      await big.issue(team, states[i % 2]!, {
        assigneeId: users[i % 2]!.id,
        projectId: own.id,
        labelIds: i % 3 === 0 ? [labels[1]!.id, labels[0]!.id] : [],
      });
    }
    const before = store.statements.length;
    const load = new RequestLoading(store.db, store.clock).forRequest(viewer);
    const { nodes } = await page(store.db, 'Issue', { viewer, now: load.now, args: { first: 250 } });
    const related = await Promise.all(
      nodes.map(async (issue) => ({
        state: (await load.row('WorkflowState', issue.stateId))?.id === issue.stateId,
        assignee: (await load.row('User', issue.assigneeId!))?.id === issue.assigneeId,
        team: (await load.row('Team', issue.teamId))?.id === issue.teamId,
        project: (await load.row('Project', issue.projectId!))?.teamIds[0] === issue.teamId,
        labels: (await labelsOf(issue, load, {})).nodes.map(({ id }) => id).join() === issue.labelIds.join(),
      })),
    );
    expect(nodes).toHaveLength(60);
    expect(related.flatMap((found) => Object.values(found))).not.toContain(false);
    expect(store.statements.length - before).toBeLessThanOrEqual(6);
  });

  it('load nothing hidden or foreign, with concurrent callers too', async () => {
    const loading = new RequestLoading(store.db, store.clock);
    const [mine, theirs, foreign] = [ada, bob, outsider].map((viewer) => loading.forRequest(viewer));
    const ask = (load: typeof mine) =>
      Promise.all([
        load!.row('Issue', made.hidden.id),
        load!.row('Team', secret.id),
        load!.row('Project', hiddenProject.id),
        load!.row('Comment', hiddenComment.id),
        load!.row('Project', sharedProject.id),
        load!.row('Comment', comment.id),
      ]).then((found) => found.map((row) => row !== null));
    expect(await Promise.all([ask(mine), ask(theirs), ask(foreign)])).toEqual([
      [true, true, true, true, true, true],
      [false, false, false, false, true, true],
      [false, false, false, false, false, false],
    ]);
  });

  it('return the same rows as loaders', async () => {
    const load = new RequestLoading(store.db, store.clock).forRequest(ada);
    const start = { startDate: '2026-01-31', startedAt: new Date('2026-01-31T23:59:59.999Z'), sortOrder: 1 / 3 };
    const { id } = await organization.project([open], start);
    const byLoader = await Promise.all([
      load.row('Issue', made.issue.id),
      load.row('Project', id),
      load.row('Comment', comment.id),
      load.row('Team', open.id),
      load.row('User', ada.userId),
    ]);
    expect(byLoader).toEqual([
      await access.issues.visible(ada, made.issue.id),
      await access.projects.visible(ada, id),
      await access.comments.visible(ada, comment.id),
      await access.teams.visible(ada, open.id),
      await access.users.visible(ada, 'me'),
    ]);
    expect(byLoader[1]).toMatchObject(start);
  });

  it('build the same page of labels from the loader as from SQL', async () => {
    const labels = [await organization.label(), await organization.label()];
    const team = await organization.team();
    const labelIds = [labels[1]!.id, labels[0]!.id];
    const { id } = await organization.issue(team, await organization.state(team), { labelIds });
    const issue = await access.issues.visible(ada, id);
    const load = new RequestLoading(store.db, store.clock).forRequest(ada);
    const [quick, slow] = [
      await labelsOf(issue, load, { first: 3 }),
      await load.page(rows.issueConnections.labels, id, { first: 3 }),
    ];
    expect(quick.nodes).toEqual(slow.nodes.map(({ ...node }) => expect.objectContaining({ id: node.id })));
    expect(quick.pageInfo).toEqual(slow.pageInfo);
    expect(quick.edges.map(({ cursor }) => cursor)).toEqual(slow.edges.map(({ cursor }) => cursor));
  });
});
