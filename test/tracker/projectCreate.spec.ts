import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal, unknownReference } from '../support/refusal.js';
import { organizationWithProjects } from '../support/tracker-clients.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('projectCreate', () => {
  const app = useApp();

  it('creates a project with its defaults', async () => {
    const { org, client } = await organizationWithProjects(app);
    const payload = await client.createProject({ name: 'Spring launch!', teamIds: [org.team.id] });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    const project = (await payload.project)!;
    expect(project).toMatchObject({
      name: 'Spring launch!',
      description: '',
      slugId: expect.stringMatching(/^[0-9a-f]{12}$/),
      url: `${app.baseUrl}/${org.urlKey}/project/spring-launch-${project.slugId}`,
      color: '#bec2c8',
      state: 'backlog',
      priority: 0,
      priorityLabel: 'No priority',
      sortOrder: 0,
      prioritySortOrder: 0,
      scope: 0,
      progress: 0,
      labelIds: [],
      frequencyResolution: 'weekly',
    });
    const absent = [
      'content',
      'icon',
      'leadId',
      'startDate',
      'targetDate',
      'startedAt',
      'trashed',
      'archivedAt',
    ] as const;
    for (const field of absent) expect(project[field], field).toBeUndefined();
    expect(await (await project.status)!).toMatchObject({ name: 'Backlog', type: 'backlog', position: 0 });
    expect(project.creatorId).toBe(org.owner.id);
    expect((await project.teams()).nodes.map(({ key }) => key)).toEqual(['ENG']);
    expect((await project.members()).nodes).toEqual([]);
    for (const id of [project.slugId, `spring-launch-${project.slugId}`, project.id.toUpperCase()]) {
      expect((await client.project(id)).id).toBe(project.id);
    }
    const at = project.createdAt.toISOString();
    expect(await org.recorded()).toEqual([
      {
        kind: 'project.created',
        room: `org:${org.id}`,
        syncId: 1,
        data: {
          action: 'create',
          actor: expect.objectContaining({ id: org.owner.id }),
          createdAt: at,
          data: {
            id: project.id,
            createdAt: at,
            updatedAt: at,
            name: 'Spring launch!',
            description: '',
            slugId: project.slugId,
            color: '#bec2c8',
            url: project.url,
            priority: 0,
            sortOrder: 0,
            prioritySortOrder: 0,
            statusId: project.statusId,
            creatorId: org.owner.id,
            memberIds: [],
            teamIds: [org.team.id],
            labelIds: [],
            issueCountHistory: [],
            completedIssueCountHistory: [],
            scopeHistory: [],
            completedScopeHistory: [],
            inProgressScopeHistory: [],
            status: { id: project.statusId, name: 'Backlog', type: 'backlog', color: '#bec2c8' },
          },
          url: project.url,
          type: 'Project',
          organizationId: org.id,
        },
      },
    ]);
  });

  it('accepts every field; the lead becomes a member', async () => {
    const { org, client, status, create } = await organizationWithProjects(app);
    await create();
    const bob = (await org.member()).user;
    const issue = await insertIssue(org);
    const team = await org.newTeam();
    const id = crypto.randomUUID();
    const given = {
      id,
      description: 'Short',
      content: '# Long',
      color: '#00ff00',
      icon: 'Rocket',
      priority: 2,
      startDate: '2026-02-01',
      startDateResolution: LinearDocument.DateResolutionType.Month,
      targetDate: '2026-04-30',
      targetDateResolution: LinearDocument.DateResolutionType.Quarter,
    } as const;
    const payload = await client.createProject(
      {
        name: '漢字',
        teamIds: [org.team.id, team.id, team.id],
        leadId: bob.id,
        memberIds: [org.owner.id, org.owner.id],
        statusId: status('In Progress'),
        convertedFromIssueId: issue.id,
        ...given,
      },
      { slackChannelName: 'ignored' },
    );
    const project = (await payload.project)!;
    expect(project).toMatchObject({
      ...given,
      priorityLabel: 'High',
      state: 'started',
      sortOrder: -100,
      prioritySortOrder: -100,
      url: `${app.baseUrl}/${org.urlKey}/project/${project.slugId}`,
      leadId: bob.id,
      convertedFromIssueId: issue.id,
      startedAt: project.createdAt,
    });
    const { data } = (await org.recorded()).at(-1)!.data;
    expect(data.memberIds).toEqual([bob.id, org.owner.id].toSorted());
    expect(data.teamIds).toEqual([org.team.id, team.id].toSorted());
    expect(data.lead).toEqual({
      id: bob.id,
      name: bob.name,
      email: bob.email,
      url: `${app.baseUrl}/${org.urlKey}/profiles/${bob.displayName}`,
    });
    expect(await refusal(client.createProject({ id, name: 'Again', teamIds: [team.id] }))).toEqual([
      'InvalidInputLinearError',
      `Conflict on insert of Project - Entity Project with id ${id} already exists.`,
    ]);
  });

  it.each([
    [{ name: '' }, 'name should not be empty.'],
    [{ name: 'x'.repeat(81) }, 'name must be shorter than or equal to 80 characters.'],
    [{ description: 'x'.repeat(256) }, 'description must be shorter than or equal to 255 characters.'],
    [{ teamIds: [] }, 'teamIds should not be empty.'],
    [{ teamIds: ['ENG'] }, 'each value in teamIds must be a UUID.'],
    [{ leadId: 'bob' }, 'leadId must be a UUID.'],
    [{ statusId: 'Backlog' }, 'statusId must be a UUID.'],
    [{ priority: 5 }, 'priority must not be greater than 4.'],
    [{ priority: -1 }, 'priority must not be less than 0.'],
    [{ color: 'red' }, 'color must match /^#[0-9a-fA-F]{6}$/ regular expression.'],
    [{ startDate: '2026-02-02', targetDate: '2026-02-01' }, 'minimal allowed date for targetDate is 2026-02-02.'],
  ])('refuses %j', async (input, sentence) => {
    const { org, client } = await organizationWithProjects(app);
    const whole = { name: 'A', teamIds: [org.team.id], ...input };
    expect(await refusal(client.createProject(whole))).toEqual(invalidArgument(sentence));
  });

  it('refuses unknown references', async () => {
    const { org, client, create } = await organizationWithProjects(app);
    const elsewhere = await app.organization();
    const project = await create();
    const [foreignStatus] = (await elsewhere.client().projectStatuses()).nodes;
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    for (const [field, ids] of [
      ['teamIds', [UNKNOWN, elsewhere.team.id, secret.id]],
      ['memberIds', [UNKNOWN, elsewhere.owner.id]],
    ] as const) {
      for (const id of ids) {
        const input = { [field]: field === 'teamIds' ? [org.team.id, id] : [id] };
        expect(await refusal(create(input))).toEqual(unknownReference(field));
        expect(await refusal(client.updateProject(project.id, input))).toEqual(unknownReference(field));
      }
    }
    for (const [field, id] of [
      ['leadId', elsewhere.owner.id],
      ['statusId', foreignStatus!.id],
    ] as const) {
      expect(await refusal(create({ [field]: id }))).toEqual(unknownReference(field));
      expect(await refusal(client.updateProject(project.id, { [field]: id }))).toEqual(unknownReference(field));
    }
    expect(await refusal(create({ convertedFromIssueId: UNKNOWN }))).toEqual(unknownReference('convertedFromIssueId'));
    expect(await org.recorded()).toHaveLength(1);
  });

  it('sorts before projects created earlier, also with concurrent calls', async () => {
    const { org } = await organizationWithProjects(app);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        org.data(
          'mutation ($input: ProjectCreateInput!) { projectCreate(input: $input) { lastSyncId project { sortOrder } } }',
          { input: { name: 'P', teamIds: [org.team.id] } },
        ),
      ),
    );
    const made = answers.map(({ projectCreate }) => [projectCreate.lastSyncId, projectCreate.project.sortOrder]);
    expect(made.toSorted(([a], [b]) => a - b)).toEqual([
      [1, 0],
      [2, -100],
      [3, -200],
      [4, -300],
      [5, -400],
    ]);
  });
});
