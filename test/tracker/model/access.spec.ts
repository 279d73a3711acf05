import { parseSettings } from '../../../src/kernel/config/settings.js';
import { StoreInfo } from '../../../src/kernel/database/store-info.js';
import { SandboxReader } from '../../../src/kernel/sandbox/sandbox-flags.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newAlphanumeric, sha256Hex } from '../../../src/kernel/ids/ids.js';
import { Access } from '../../../src/tracker/access/access.js';
import { RequestLoading } from '../../../src/tracker/store/loaders.js';
import { labelsOf } from '../../../src/tracker/issues/issues.loaders.js';
import { organizationById } from '../../../src/tracker/organization/organization.loaders.js';
import { countsOfOrganization } from '../../../src/tracker/organization/organization.loaders.js';
import { progressOfProject } from '../../../src/tracker/projects/projects.loaders.js';
import { statusesOfOrganization } from '../../../src/tracker/projects/statuses/statuses.loaders.js';
import {
  activeCycleOfTeam,
  neighbourhoodOfCycle,
  progressOfCycle,
} from '../../../src/tracker/teams/cycles/cycles.loaders.js';
import { issueCountsOfTeam } from '../../../src/tracker/teams/teams.loaders.js';
import { page } from '../../../src/tracker/query/page.js';
import * as rows from '../../../src/tracker/entities.js';
import { currentSyncId, lastSyncIdOf, TrackerEvents, type TrackerFacts } from '../../../src/tracker/events/sync.js';
import { Viewers, type Authentication, type Viewer } from '../../../src/tracker/access/viewer.js';
import { TestOrganization, useStore } from './tracker-data.js';

const store = useStore();
type Made = { id: string };
const asViewer = (answer: Authentication): Viewer => {
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.viewer;
};

describe('viewers', () => {
  const key = async (user: Made, organization: TestOrganization, value: Partial<rows.ApiKey> = {}) => {
    const hash = sha256Hex(newAlphanumeric(40));
    return organization.add(rows.ApiKey, { userId: user.id, hash, label: 'k', start: 'svc_api_xxxx', ...value });
  };

  it('come from API keys and claims, with what they may not see', async () => {
    const viewers = new Viewers(store.db, store.clock, new SandboxReader(parseSettings({}), new StoreInfo(true)));
    const organization = await TestOrganization.create(store);
    const [ada, bob] = [await organization.user({ admin: true }), await organization.user()];
    const secret = await organization.team({ private: true }, [ada]);
    const gone = await organization.team({ archivedAt: new Date() });
    const apiKey = await key(bob, organization);
    const session = await organization.session(ada);
    const before = store.statements.length;
    const [byKey, byClaim] = await Promise.all([viewers.byApiKey(apiKey.hash as string), viewers.bySession(session)]);
    const lookups = store.statements.slice(before).filter((text) => !text.includes('SET last_seen'));
    expect(lookups).toHaveLength(2);
    expect(asViewer(byKey!)).toEqual(
      organization.viewer(bob, {
        accountId: bob.accountId,
        name: bob.name,
        displayName: bob.displayName,
        email: bob.email,
        hiddenTeamIds: [secret.id],
        archivedTeamIds: [gone.id],
        apiKeyId: apiKey.id,
      } as Partial<Viewer>),
    );
    expect(asViewer(byClaim!)).toMatchObject({ userId: ada.id, admin: true, hiddenTeamIds: [], apiKeyId: null });
  });

  it('are refused for the reason at hand', async () => {
    const viewers = new Viewers(store.db, store.clock, new SandboxReader(parseSettings({}), new StoreInfo(true)));
    const organization = await TestOrganization.create(store);
    const [ada, bob] = [await organization.user(), await organization.user({ active: false })];
    const revoked = await key(ada, organization, { revokedAt: new Date() });
    const suspended = await key(bob, organization);
    expect(await viewers.byApiKey(revoked.hash as string)).toEqual({ refused: 'token_revoked' });
    expect(await viewers.byApiKey(suspended.hash as string)).toEqual({ refused: 'account_inactive' });
    expect(await viewers.byApiKey('0')).toEqual({ refused: 'invalid_auth' });
    const foreign = await TestOrganization.create(store);
    const session = await organization.session(ada);
    expect(await viewers.bySession({ ...session, organizationId: foreign.id })).toEqual({
      refused: 'account_inactive',
    });
    expect(await viewers.bySession({ ...session, sid: 'none' })).toEqual({ refused: 'invalid_auth' });
    await store.dataSource.query('UPDATE sessions SET ended_at = now() WHERE sid = $1', [session.sid]);
    expect(await viewers.bySession(session)).toEqual({ refused: 'token_revoked' });
    const orphan = await key({ id: '3f2b1c9a-0d4e-4f5a-8b6c-7d8e9f0a1b2c' }, organization);
    expect(await viewers.byApiKey(orphan.hash as string)).toEqual({ refused: 'account_inactive' });
  });

  it('are noted as seen, at most once a minute', async () => {
    const viewers = new Viewers(store.db, store.clock, new SandboxReader(parseSettings({}), new StoreInfo(true)));
    const organization = await TestOrganization.create(store);
    const user = await organization.user();
    const { hash } = await key(user, organization);
    const seen = async () => {
      const [row] = (await store.dataSource.query(
        `SELECT u.last_seen AS "lastSeen", a.last_used_at AS "lastUsedAt" FROM tracker_users u JOIN api_keys a ON a.user_id = u.id WHERE u.id = $1`,
        [user.id],
      )) as { lastSeen: Date | null; lastUsedAt: Date | null }[];
      return row!;
    };
    try {
      await viewers.byApiKey(hash as string);
      await vi.waitFor(async () => expect((await seen()).lastUsedAt).not.toBeNull());
      const first = await seen();
      expect(first.lastSeen).toEqual(first.lastUsedAt);
      store.clock.advance(59_000);
      const writes = store.statements.filter((text) => text.includes('SET last_seen')).length;
      await viewers.byApiKey(hash as string);
      expect(store.statements.filter((text) => text.includes('SET last_seen')).length).toBe(writes);
      store.clock.advance(2_000);
      await viewers.byApiKey(hash as string);
      await vi.waitFor(async () =>
        expect((await seen()).lastSeen!.getTime()).toBeGreaterThan(first.lastSeen!.getTime()),
      );
    } finally {
      store.clock.reset();
    }
  });
});

describe('doors', () => {
  let access: Access, organization: TestOrganization;
  let ada: Viewer, bob: Viewer, stranger: Viewer;
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
    stranger = foreign.viewer(await foreign.user());
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

  it('resolve issues by every id they have and had', async () => {
    for (const id of [made.issue.id, made.issue.id.toUpperCase(), 'OPEN-1', 'open-1', 'OLD-7', 'older-1']) {
      expect(await outcome(access.issues.visible(ada, id))).toBe(made.issue.id);
    }
    for (const id of ['OPEN-2', 'OLD-1', 'OPEN', '', '-1', "' OR 1=1", '\0', 'OPEN-99999999999999']) {
      expect(await outcome(access.issues.visible(ada, id))).toBe('notFound');
    }
  });

  it('prefer what an issue is called now', async () => {
    const team = await organization.team({ key: 'OLDER' });
    const heir = await organization.issue(team, await organization.state(team), { identifier: 'OLDER-1' });
    expect(await outcome(access.issues.visible(ada, 'OLDER-1'))).toBe(heir.id);
    await store.dataSource.query('DELETE FROM issues WHERE id = $1', [heir.id]);
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

  it('show nothing of a private team, nor of another organization', async () => {
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
      expect(await ask(stranger)).toBe('notFound');
    }
    expect(await outcome(access.comments.byHash(bob, hiddenComment.id.slice(0, 8)))).toBe('notFound');
  });

  it('hold rows inside a transaction, and find many in the order asked', async () => {
    await store.db.write(async (tx) => {
      expect(await access.issues.forUpdate(tx, ada, 'OPEN-1')).toMatchObject({ id: made.issue.id, labelIds: [] });
      expect(await access.comments.find(ada, comment.id, tx, 'use')).toMatchObject({ id: comment.id });
      await expect(access.issues.forUpdate(tx, stranger, 'OPEN-1')).rejects.toMatchObject({ kind: 'notFound' });
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

  it('count the statements of a page of issues with its relations', async () => {
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

  it('load nothing hidden or foreign, whoever asks at the same time', async () => {
    const loading = new RequestLoading(store.db, store.clock);
    const [mine, theirs, foreign] = [ada, bob, stranger].map((viewer) => loading.forRequest(viewer));
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

  it('hand out the same rows as loaders do', async () => {
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

  it('make labels of the loader the page that SQL makes', async () => {
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

describe('derived values', () => {
  it('weigh the issues of projects and cycles', async () => {
    const organization = await TestOrganization.create(store);
    const viewer = organization.viewer(await organization.user());
    const team = await organization.team({ defaultIssueEstimate: 2 });
    const project = await organization.project([team]);
    const cycle = await organization.cycle(team, { startsAt: new Date(0), endsAt: new Date('2100-01-01') });
    const within = { projectId: project.id, cycleId: cycle.id };
    const state = (type: rows.WorkflowStateKind) => organization.state(team, { type });
    await organization.issue(team, await state('completed'), { ...within, estimate: 3 });
    await organization.issue(team, await state('started'), within);
    await organization.issue(team, await state('backlog'), { ...within, estimate: 0 });
    await organization.issue(team, await state('canceled'), { ...within, estimate: 100 });
    await organization.issue(team, await state('duplicate'), { ...within, estimate: 100 });
    await organization.issue(team, await state('completed'), { ...within, estimate: 9, archivedAt: new Date() });
    const load = new RequestLoading(store.db, store.clock).forRequest(viewer);
    const want = { scope: 5, progress: (3 + 0.25 * 2) / 5 };
    expect(await load.by(progressOfProject, project.id)).toEqual(want);
    expect(await load.by(progressOfCycle, cycle.id)).toEqual(want);
    expect(await load.by(progressOfProject, cycle.id)).toEqual({ scope: 0, progress: 0 });
    expect(await load.by(activeCycleOfTeam, team.id)).toMatchObject({ id: cycle.id });
    expect(await load.by(neighbourhoodOfCycle, cycle.id)).toMatchObject({ isNext: false, isPrevious: false });
    expect(await load.by(issueCountsOfTeam, team.id)).toMatchObject({ all: 6, live: 5 });
    expect(await load.by(countsOfOrganization, organization.id)).toMatchObject({ users: 1, issues: 6 });
    expect(await load.by(organizationById, organization.id)).toMatchObject({ urlKey: organization.urlKey });
    expect(await load.by(statusesOfOrganization, organization.id)).toMatchObject([{ id: organization.statusId }]);
  });
});

describe('lastSyncId', () => {
  it('numbers the events of an organization in commit order', async () => {
    new TrackerEvents(store.eventLog);
    const [organization, other] = [await TestOrganization.create(store), await TestOrganization.create(store)];
    const record = (made: TestOrganization, count: number) =>
      store.db
        .write(async (tx) =>
          Array.from({ length: count }, () =>
            tx.record({
              tenantId: made.tenantId,
              product: 'tracker',
              kind: 'issue.created',
              room: `org:${made.id}`,
              data: '{}',
              facts: { organizationId: made.id } satisfies TrackerFacts,
            }),
          ),
        )
        .then((recorded) => lastSyncIdOf(recorded));
    const taken = await Promise.all(Array.from({ length: 20 }, () => record(organization, 2)));
    expect([...taken].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => (i + 1) * 2));
    expect(await record(other, 1)).toBe(1);
    expect(await currentSyncId(store.db, organization.id)).toBe(40);
    const logged = (await store.dataSource.query(
      'SELECT sync_id AS "syncId" FROM events WHERE tenant_id = $1 ORDER BY id',
      [organization.tenantId],
    )) as { syncId: number }[];
    expect(logged.map(({ syncId }) => syncId)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });
});
