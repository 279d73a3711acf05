import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { OrganizationBuilder } from '../support/tracker.js';

const CREATE = `mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) { success lastSyncId issue { id identifier number } }
}`;

describe('issueCreate', () => {
  const app = useApp();

  describe('refuses', () => {
    const refusal = async (
      org: OrganizationBuilder,
      input: Record<string, unknown>,
    ): Promise<{ message: string; code: string; userMessage: string }> => {
      const { message, extensions } = await org.error(CREATE, { input: { teamId: org.team.id, title: 'X', ...input } });
      expect(extensions['type']).toBe('invalid input');
      return { message, code: extensions['code'], userMessage: extensions['userPresentableMessage'] };
    };
    const invalid = (userMessage: string) => ({
      message: 'Argument Validation Error',
      code: 'INVALID_INPUT',
      userMessage,
    });
    const unknown = (field: string) => ({
      message: `Entity not found in validateAccess: ${field}`,
      code: 'INPUT_ERROR',
      userMessage: `${field} contained an entry that could not be found.`,
    });
    const DISCREPANCY = 'Discrepancy between issue team and state, cycle or project.';
    const discrepancy = { message: DISCREPANCY, code: 'INVALID_INPUT', userMessage: DISCREPANCY };

    it('values that break a rule of format or range', async () => {
      const org = await app.organization();
      const later = new Date(Date.now() + 60_000).toISOString();
      const cases: [Record<string, unknown>, string][] = [
        [{ teamId: 'ENG' }, 'teamId must be a UUID.'],
        [{ title: undefined }, 'title should not be empty.'],
        [{ title: '  ' }, 'title should not be empty.'],
        [{ title: 'a'.repeat(513) }, 'title must be shorter than or equal to 512 characters.'],
        [{ priority: 5 }, 'priority must not be greater than 4.'],
        [{ estimate: -1 }, 'estimate must not be less than 0.'],
        [{ id: 'mine' }, 'id must be a UUID.'],
        [{ labelIds: ['Bug'] }, 'each value in labelIds must be a UUID.'],
        [{ completedAt: '2020-01-01', createdAt: '2019-01-01' }, 'completedAt must come with a completed state.'],
      ];
      for (const [input, userMessage] of cases) expect(await refusal(org, input)).toEqual(invalid(userMessage));
      for (const field of ['createdAt', 'completedAt']) {
        expect((await refusal(org, { [field]: later })).userMessage).toMatch(/^maximal allowed date for /);
      }
      const { body } = await org.graphql(CREATE, { input: { title: 'No team' } });
      expect(body.errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    });

    it('references that are unknown, or belong to another organization', async () => {
      const org = await app.organization();
      const foreign = await app.organization();
      const make = builds(foreign);
      const issue = await make.issue();
      const theirs: Record<string, string | string[]> = {
        teamId: foreign.team.id,
        stateId: (await make.state('Todo')).id,
        assigneeId: foreign.user.id,
        parentId: issue.id,
        projectId: (await make.project()).id,
        cycleId: (await make.cycle()).id,
        labelIds: [(await make.label()).id],
        subscriberIds: [foreign.user.id],
        sourceCommentId: (await make.comment(issue)).id,
      };
      for (const [field, value] of Object.entries(theirs)) {
        expect(await refusal(org, { [field]: value }), field).toEqual(unknown(field));
        const any = crypto.randomUUID();
        expect(await refusal(org, { [field]: Array.isArray(value) ? [any] : any }), field).toEqual(unknown(field));
      }
      expect(await refusal(org, { parentId: 'ENG-1' })).toEqual(unknown('parentId'));
      expect(await org.recorded()).toEqual([]);
    });

    it('a state, cycle or project of another team', async () => {
      const org = await app.organization();
      const make = builds(org);
      const ops = await org.newTeam({ key: 'OPS' });
      for (const input of [
        { stateId: (await make.state('Todo', ops)).id },
        { cycleId: (await make.cycle(ops)).id },
        { projectId: (await make.project({ teams: [ops] })).id },
      ]) {
        expect(await refusal(org, input)).toEqual(discrepancy);
      }
    });

    it('an assignee who is suspended, or not a member of the private team', async () => {
      const org = await app.organization();
      const make = builds(org);
      const [bob, eve] = [await org.member(), await org.member()];
      const secret = await org.newTeam({ key: 'SEC', private: true });
      await make.suspend(eve.user);
      expect(await refusal(org, { assigneeId: eve.user.id })).toEqual(unknown('assigneeId'));
      expect(await refusal(org, { teamId: secret.id, assigneeId: bob.user.id })).toEqual(unknown('assigneeId'));
      await org.data(CREATE, { input: { teamId: secret.id, title: 'Own', assigneeId: org.user.id } });
      expect((await bob.error(CREATE, { input: { teamId: secret.id, title: 'X' } })).message).toBe(
        unknown('teamId').message,
      );
      const [event] = await org.recorded();
      expect(event?.room).toBe(`org:${org.id}/teams/${secret.id}`);
    });

    it('group labels, labels of another team, and two labels of one group', async () => {
      const org = await app.organization();
      const make = builds(org);
      const group = await make.label({ name: 'Kind', isGroup: true });
      const [a, b] = [
        await make.label({ name: 'A', parentId: group.id }),
        await make.label({ name: 'B', parentId: group.id }),
      ];
      const ops = await org.newTeam({ key: 'OPS' });
      const theirs = await make.label({ name: 'Bug', teamId: ops.id });
      expect(await refusal(org, { labelIds: [group.id] })).toMatchObject({
        message: 'labelIds is a group label',
        code: 'INPUT_ERROR',
      });
      expect(await refusal(org, { labelIds: [theirs.id] })).toEqual({
        message: 'labelIds for incorrect team',
        code: 'INPUT_ERROR',
        userMessage: "The label 'Bug' is not associated with the same team as the issue.",
      });
      expect(await refusal(org, { labelIds: [b.id, a.id] })).toEqual({
        message: 'labelIds not exclusive child labels',
        code: 'INPUT_ERROR',
        userMessage: "The label 'A' is in the same group as 'B'. Only one label in a group can be applied to an issue.",
      });
    });

    it('an eleventh level of sub-issues, and a deleted team', async () => {
      const org = await app.organization();
      const make = builds(org);
      let parentId: string | undefined;
      for (let level = 1; level <= 10; level++) parentId = (await make.issue({ parentId })).id;
      expect(await refusal(org, { parentId })).toMatchObject({
        message: 'parentId is nested too deep',
        code: 'INPUT_ERROR',
      });
      const gone = await make.archivedTeam();
      expect((await refusal(org, { teamId: gone.id })).message).toBe('team is archived');
    });
  });
});
