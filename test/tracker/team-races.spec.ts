import { describe, expect, it } from 'vitest';
import { Issue, Project, ProjectTeam } from '../../src/tracker/entities.js';
import { useApp } from '../support/app.js';
import { onPostgres } from '../support/databases.js';
import { lockRow, overlap } from '../support/overlap.js';
import { builds } from '../support/tracker-issues.js';
import { insertCycle, insertIssue } from '../support/tracker-rows.js';

/** Whatever the order, the result could also have come about by calls one after the other. */
describe('concurrent changes of a team', () => {
  const app = useApp();
  const issues = async (condition: string, id: string) =>
    (await app.store.dataSource.query(`SELECT id FROM issues WHERE archived_at IS NULL AND ${condition}`, [id])) as {
      id: string;
    }[];

  it('leave no issue in an archived state', async () => {
    const org = await app.organization();
    const client = org.client();
    for (let round = 0; round < 4; round++) {
      const input = { teamId: org.team.id, name: `S${round}`, type: 'started', color: '#000000' };
      const stateId = (await client.createWorkflowState(input)).workflowStateId!;
      const mine = await insertIssue(org);
      const [archived, ...entered] = await Promise.all([
        org.graphql('mutation ($id: String!) { workflowStateArchive(id: $id) { success } }', { id: stateId }),
        org.graphql(
          'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
          {
            id: mine.id,
            input: { stateId },
          },
        ),
        org.graphql('mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
          input: { teamId: org.team.id, title: 'In', stateId },
        }),
      ]);
      const inside = await issues('state_id = $1', stateId);
      expect(inside).toHaveLength(entered.filter(({ body }) => !body.errors).length);
      if (!archived.body.errors) expect(inside).toEqual([]);
    }
  });

  it('leave no issue in an archived cycle', async () => {
    const org = await app.organization();
    for (let round = 0; round < 4; round++) {
      const { id: cycleId } = await insertCycle(org, { from: 10 * round, to: 10 * round + 5 });
      const mine = await insertIssue(org);
      const [archived] = await Promise.all([
        org.graphql('mutation ($id: String!) { cycleArchive(id: $id) { success } }', { id: cycleId }),
        org.graphql(
          'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }',
          {
            id: mine.id,
            input: { cycleId },
          },
        ),
        org.graphql('mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
          input: { teamId: org.team.id, title: 'In', cycleId },
        }),
      ]);
      expect(archived.body.errors).toBeUndefined();
      expect(await issues('cycle_id = $1', cycleId)).toEqual([]);
    }
  });

  it('rename issues that are created while the key of the team changes, or create them with the new key', async () => {
    const org = await app.organization();
    const create = () =>
      org.data('mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }', {
        input: { teamId: org.team.id, title: 'New' },
      });
    await Promise.all([
      ...Array.from({ length: 6 }, create),
      org.data('mutation ($id: String!) { teamUpdate(id: $id, input: { key: "DEV" }) { success } }', {
        id: org.team.id,
      }),
      ...Array.from({ length: 6 }, create),
    ]);
    const rows: { identifier: string }[] = await app.store.dataSource.query(
      'SELECT identifier FROM issues WHERE team_id = $1 ORDER BY number',
      [org.team.id],
    );
    expect(rows.map(({ identifier }) => identifier)).toEqual(Array.from({ length: 12 }, (_, n) => `DEV-${n + 1}`));
  });

  describe.skipIf(onPostgres !== '')(`leave no issue in a project without its team${onPostgres}`, () => {
    const CREATE = 'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }';
    const UPDATE =
      'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }';
    /** Removes the team from the project while `act` runs, and answers the result of `act`. */
    const leaving = async <T>(teamId: string, projectId: string, act: () => Promise<T>): Promise<T> => {
      const [answer] = await overlap<[T]>(
        app.store.dataSource,
        async (entities) => {
          await lockRow(entities, Project, { id: projectId });
          await entities.delete(ProjectTeam, { projectId, teamId });
          await entities.update(Issue, { projectId, teamId }, { projectId: null });
        },
        act,
      );
      return answer;
    };

    it('after issueCreate in it', async () => {
      const org = await app.organization();
      const project = await builds(org).project();
      const input = { teamId: org.team.id, title: 'In', projectId: project.id };
      const { body } = await leaving(org.team.id, project.id, () => org.graphql(CREATE, { input }));
      expect(body.errors?.[0]?.message).toMatch(/^Discrepancy between issue team/);
      expect(await issues('project_id = $1', project.id)).toEqual([]);
    });

    it('after issueUpdate into it', async () => {
      const org = await app.organization();
      const project = await builds(org).project();
      const { id } = await insertIssue(org);
      const { body } = await leaving(org.team.id, project.id, () =>
        org.graphql(UPDATE, { id, input: { projectId: project.id } }),
      );
      expect(body.errors?.[0]?.message).toMatch(/^Discrepancy between issue team/);
      expect(await issues('project_id = $1', project.id)).toEqual([]);
    });

    it('after a move to that team with its project', async () => {
      const org = await app.organization();
      const ops = await org.newTeam();
      const project = await builds(org).project({ teams: [org.team, ops] });
      const { id } = await insertIssue(org, { projectId: project.id });
      const { body } = await leaving(ops.id, project.id, () => org.graphql(UPDATE, { id, input: { teamId: ops.id } }));
      expect(body.errors).toBeUndefined();
      expect(await issues('project_id = $1', project.id)).toEqual([]);
      expect(await issues('team_id = $1', ops.id)).toEqual([{ id }]);
    });
  });
});
