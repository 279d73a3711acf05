import { describe, expect, it } from 'vitest';
import { RequestLoading } from '../../../src/tracker/query/loaders.js';
import { organizationById, countsOfOrganization } from '../../../src/tracker/organization/organization.loaders.js';
import { progressOfProject } from '../../../src/tracker/projects/projects.loaders.js';
import { statusesOfOrganization } from '../../../src/tracker/projects/statuses/statuses.loaders.js';
import {
  activeCycleOfTeam,
  neighbourhoodOfCycle,
  progressOfCycle,
} from '../../../src/tracker/teams/cycles/cycles.loaders.js';
import { issueCountsOfTeam } from '../../../src/tracker/teams/teams.loaders.js';
import * as rows from '../../../src/tracker/entities.js';
import { currentSyncId, lastSyncIdOf, TrackerEvents } from '../../../src/tracker/events/sync.js';
import type { TrackerEventFacts } from '../../../src/tracker/events/tracker-events.js';
import { TestOrganization, useStore } from './tracker-data.js';

const store = useStore();

describe('derived values', () => {
  it('count the points of issues in projects and cycles', async () => {
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
              facts: {
                organizationId: made.id,
                type: 'Issue',
                teamIds: [],
                isPublic: true,
              } satisfies TrackerEventFacts,
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
