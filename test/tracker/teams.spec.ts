import { describe, expect, it, vi } from 'vitest';
import { TeamMembership } from '../../src/tracker/entities.js';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { deleteRows } from '../support/rows.js';
import type { OrganizationBuilder } from '../support/tracker.js';
import { insertCycle, insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

/** All relations of a team, and those back to it. */
const EVERYTHING = `{
  teams(first: 40) { nodes {
    id displayName visibility cycleCalenderUrl issueCount all: issueCount(includeArchived: true)
    activeCycle { id progress isNext isPrevious team { id } }
    defaultIssueState { id team { id } } viewerMembership { id user { id } team { id } } organization { id }
    cycles(first: 5) { nodes { id progress isNext team { id } } }
    issues(first: 5) { nodes { id } } labels(first: 5) { nodes { id } } members(first: 5) { nodes { id } }
    memberships(first: 5) { nodes { id team { id } user { id } } }
    projects(first: 5) { nodes { id state scope progress status { id } creator { id } lead { id }
      teams(first: 2) { nodes { id } } members(first: 2) { nodes { id } } issues(first: 2) { nodes { id } } } }
    states(first: 10) { nodes { id team { id } issues(first: 2) { nodes { id } } } }
    webhooks(first: 5) { nodes { id } }
  } }
}`;

describe('teams', () => {
  const app = useApp();

  it('are listed newest first, filtered, in pages', async () => {
    const org = await app.organization();
    const client = org.client();
    for (const key of ['AAA', 'BBB', 'CCC']) await client.createTeam({ name: `Team ${key}`, key });
    const keys = async (variables: Parameters<typeof client.teams>[0]) =>
      (await client.teams(variables)).nodes.map(({ key }) => key);
    expect(await keys({})).toEqual(['CCC', 'BBB', 'AAA', 'ENG']);
    expect(await keys({ filter: { key: { in: ['AAA', 'ENG'] } } })).toEqual(['AAA', 'ENG']);
    const first = await client.teams({ first: 3 });
    await first.fetchNext();
    expect(first.nodes.map(({ key }) => key)).toEqual(['CCC', 'BBB', 'AAA', 'ENG']);
    expect(await keys({ last: 1 })).toEqual(['ENG']);
  });

  it('count their issues, including archived ones on request', async () => {
    const org = await app.organization();
    await insertIssue(org);
    await insertIssue(org, { archivedAt: new Date() });
    const { team } = await org.data('{ team(id: "ENG") { issueCount all: issueCount(includeArchived: true) } }');
    expect(team).toEqual({ issueCount: 1, all: 2 });
  });

  it('have memberships that only members see in private teams', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    const hidden = (await (await bob.client().team(secret.id)).viewerMembership)!;
    expect(hidden).toMatchObject({ owner: true, sortOrder: 0 });
    expect((await hidden.team)!.id).toBe(secret.id);
    expect((await bob.client().teamMembership(hidden.id)).userId).toBe(bob.user.id);
    for (const id of [hidden.id, UNKNOWN, 'me']) {
      expect(await refusal(org.client().teamMembership(id))).toEqual(notFound('TeamMembership'));
    }
    const seen = (await org.client().teamMemberships()).nodes.map(({ userId }) => userId);
    expect(seen.toSorted()).toEqual([org.owner.id, bob.user.id].toSorted());
    expect((await bob.client().teamMemberships()).nodes).toHaveLength(3);
    expect((await (await org.client().team('ENG')).viewerMembership)!.userId).toBe(org.owner.id);
  });

  it('have no viewerMembership for a user who is not a member', async () => {
    const org = await app.organization();
    const other = await org.newTeam();
    await deleteRows(app.store, TeamMembership, { teamId: other.id });
    expect(await (await org.client().team(other.id)).viewerMembership).toBeUndefined();
  });

  it('show their webhooks to admins only', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const query = '{ team(id: "ENG") { webhooks { nodes { id } } } }';
    expect((await org.data(query)).team.webhooks.nodes).toEqual([]);
    expect(await bob.error(query)).toMatchObject({
      message: 'Forbidden',
      extensions: { type: 'forbidden', userPresentableMessage: 'You need to be an admin to manage webhooks.' },
    });
  });

  it('are unknown to other organizations', async () => {
    const org = await app.organization();
    const elsewhere = await app.organization();
    for (const id of [elsewhere.team.id, UNKNOWN, 'NOPE', '']) {
      expect(await refusal(org.client().team(id))).toEqual(notFound('Team'));
    }
    expect((await org.client().team('eng')).id).toBe(org.team.id);
    expect((await elsewhere.client().team('eng')).id).toBe(elsewhere.team.id);
  });

  it('take the same number of statements however many teams there are', async () => {
    const org = await app.organization();
    await fill(org, 2);
    const few = await statementsOf(org);
    await fill(org, 6);
    const many = await statementsOf(org);
    expect(many.others).toEqual(few.others);
    expect(many.others.length).toBeLessThan(30);
    expect(Math.max(many.loads, few.loads)).toBeLessThan(8);
  });

  /** Creates teams with one entity of each kind. */
  async function fill(org: OrganizationBuilder, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const { id: teamId } = await org.newTeam();
      const { id: cycleId } = await insertCycle(org, { teamId });
      const input = { name: 'P', teamIds: [teamId, org.team.id], leadId: org.owner.id };
      const { projectId } = await org.client().createProject(input);
      await insertIssue(org, { teamId, cycleId, projectId: projectId ?? null });
    }
  }

  /** The names of the statements for the answer, and the number of loads by id, which are batched as they arrive. */
  async function statementsOf(org: OrganizationBuilder): Promise<{ others: string[]; loads: number }> {
    await org.data('{ viewer { id } }');
    const pool = (app.store.dataSource.driver as unknown as { master: { query(sent: unknown): unknown } }).master;
    const spy = vi.spyOn(pool, 'query');
    try {
      await org.data(EVERYTHING);
      const names = spy.mock.calls.map(([sent]) => String((sent as { name?: string }).name));
      const isLoad = (name: string) => /^tracker_load_\d+$/.test(name);
      return {
        others: names.filter((name) => name.startsWith('tracker_') && !isLoad(name)).toSorted(),
        loads: names.filter(isLoad).length,
      };
    } finally {
      spy.mockRestore();
    }
  }
});
