import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { insertIssue } from '../support/tracker-rows.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('projects', () => {
  const app = useApp();

  async function organization() {
    const org = await app.organization();
    const client = org.client();
    const { nodes: statuses } = await client.projectStatuses();
    const status = (name: string) => statuses.find((candidate) => candidate.name === name)!.id;
    const create = async (input: object = {}) =>
      (await (
        await client.createProject({ name: 'Launch', teamIds: [org.team.id], ...input })
      ).project)!;
    return { org, client, status, create };
  }

  it('projectCreate makes a project with its defaults', async () => {
    const { org, client } = await organization();
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

  it('projectCreate takes all it is given; the lead is a member', async () => {
    const { org, client, status, create } = await organization();
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
  ])('projectCreate refuses %j', async (input, sentence) => {
    const { org, client } = await organization();
    const whole = { name: 'A', teamIds: [org.team.id], ...input };
    expect(await refusal(client.createProject(whole))).toEqual(invalidArgument(sentence));
  });

  it('refuses references that nobody knows here', async () => {
    const { org, client, create } = await organization();
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

  it('projectUpdate changes what is given and tells what it was', async () => {
    const { org, client, create } = await organization();
    const project = await create({ content: 'Long', targetDate: '2026-04-30' });
    const payload = await client.updateProject(project.slugId, { name: 'Landing', content: null, priority: 1 });
    expect(payload).toMatchObject({ success: true, lastSyncId: 2 });
    const after = (await payload.project)!;
    expect(after).toMatchObject({ name: 'Landing', priority: 1, priorityLabel: 'Urgent', targetDate: '2026-04-30' });
    expect(after.url).toBe(`${app.baseUrl}/${org.urlKey}/project/landing-${project.slugId}`);
    expect(after.content).toBeUndefined();
    const event = (await org.recorded()).at(-1)!;
    expect(event).toMatchObject({ kind: 'project.updated', data: { url: after.url } });
    expect(event.data.updatedFrom).toEqual({
      name: 'Launch',
      content: 'Long',
      priority: 0,
      updatedAt: project.updatedAt.toISOString(),
    });
    const same = { name: 'Landing', teamIds: [org.team.id], memberIds: [], priority: 1, trashed: null };
    expect(await client.updateProject(project.id, same)).toMatchObject({ success: true, lastSyncId: 2 });
    expect((await client.project(project.id)).updatedAt).toEqual(after.updatedAt);
    expect((await (await client.updateProject(project.id, { priority: null })).project)!.priority).toBe(0);
    for (const field of ['name', 'description', 'color', 'statusId', 'teamIds', 'memberIds', 'sortOrder']) {
      expect(await refusal(client.updateProject(project.id, { [field]: null }))).toEqual(
        invalidArgument(`${field} should not be null or undefined.`),
      );
    }
  });

  it('compares one day with the stored other one', async () => {
    const { client, create } = await organization();
    const { id } = await create({ startDate: '2026-02-01', targetDate: '2026-03-01' });
    expect(await refusal(client.updateProject(id, { targetDate: '2026-01-31' }))).toEqual(
      invalidArgument('minimal allowed date for targetDate is 2026-02-01.'),
    );
    expect(await refusal(client.updateProject(id, { startDate: '2026-03-02' }))).toEqual(
      invalidArgument('maximal allowed date for startDate is 2026-03-01.'),
    );
    const after = (await (await client.updateProject(id, { startDate: null, targetDate: '2025-01-01' })).project)!;
    expect([after.startDate, after.targetDate]).toEqual([undefined, '2025-01-01']);
  });

  it('sets and clears the moments of its status', async () => {
    const { client, status, create } = await organization();
    const { id } = await create();
    const enter = async (name: string, more: object = {}) => {
      const project = (await (await client.updateProject(id, { statusId: status(name), ...more })).project)!;
      return [project.state, ...[project.startedAt, project.completedAt, project.canceledAt].map((at) => !!at)];
    };
    expect(await enter('In Progress')).toEqual(['started', true, false, false]);
    const started = (await client.project(id)).startedAt;
    expect(await enter('Paused')).toEqual(['paused', true, false, false]);
    expect(await enter('Completed')).toEqual(['completed', true, true, false]);
    expect((await client.project(id)).startedAt).toEqual(started);
    expect(await enter('Canceled')).toEqual(['canceled', true, false, true]);
    expect(await enter('Planned')).toEqual(['planned', false, false, false]);
    expect(await enter('Completed')).toEqual(['completed', true, true, false]);
    const completedAt = new Date('2026-01-01T00:00:00Z');
    await enter('Backlog');
    expect(await enter('Completed', { completedAt })).toEqual(['completed', true, true, false]);
    // nothing said when it started
    expect(await client.project(id)).toMatchObject({ completedAt, startedAt: completedAt });
    // the status it has already: nothing is entered
    const before = await client.project(id);
    expect((await client.updateProject(id, { statusId: status('Completed') })).lastSyncId).toBe(9);
    expect(await client.project(id)).toMatchObject({ updatedAt: before.updatedAt, completedAt });
  });

  it('keeps its lead among its members', async () => {
    const { org, client, create } = await organization();
    const [bob, carol] = [(await org.member()).user, (await org.member()).user];
    const { id } = await create({ memberIds: [carol.id] });
    const members = async (input: object) => {
      const project = (await (await client.updateProject(id, input)).project)!;
      return (await project.members()).nodes.map((member) => member.id).toSorted();
    };
    expect(await members({ leadId: bob.id })).toEqual([bob.id, carol.id].toSorted());
    expect(await members({ memberIds: [] })).toEqual([bob.id]);
    expect((await org.recorded()).at(-1)!.data.updatedFrom).toMatchObject({
      memberIds: [bob.id, carol.id].toSorted(),
    });
    expect(await members({ leadId: null })).toEqual([bob.id]);
    expect(await members({ memberIds: [carol.id] })).toEqual([carol.id]);
    expect((await client.project(id)).leadId).toBeUndefined();
  });

  it('drops issues of a team that leaves it', async () => {
    const { org, client, create } = await organization();
    const team = await org.newTeam();
    const { id: projectId } = await create({ teamIds: [org.team.id, team.id] });
    const stays = await insertIssue(org, { projectId });
    const goes = await insertIssue(org, { projectId, teamId: team.id });
    const payload = await client.updateProject(projectId, { teamIds: [org.team.id] });
    expect(payload.lastSyncId).toBe(2);
    expect((await (await payload.project)!.teams()).nodes.map(({ key }) => key)).toEqual(['ENG']);
    const rows: { id: string; projectId: string; moved: boolean }[] = await app.store.dataSource.query(
      'SELECT id, project_id AS "projectId", updated_at > created_at AS moved FROM issues WHERE id = ANY($1)',
      [[stays.id, goes.id]],
    );
    expect(rows.toSorted((a) => (a.id === stays.id ? -1 : 1))).toEqual([
      { id: stays.id, projectId, moved: false },
      { id: goes.id, projectId: null, moved: true },
    ]);
    expect((await org.recorded()).at(-1)!.data.updatedFrom.teamIds).toEqual([org.team.id, team.id].toSorted());
    expect(await refusal(client.updateProject(projectId, { teamIds: [] }))).toEqual(
      invalidArgument('teamIds should not be empty.'),
    );
  });

  it('measures scope and progress in points', async () => {
    const { org, client, create } = await organization();
    const states = (await (await client.team('ENG')).states()).nodes;
    const { id: projectId } = await create();
    const issue = (name: string, estimate?: number, more = {}) =>
      insertIssue(org, {
        projectId,
        stateId: states.find((state) => state.name === name)!.id,
        estimate: estimate ?? null,
        ...more,
      });
    await issue('Done', 2);
    await issue('In Progress', 4);
    await issue('Backlog');
    await issue('Canceled', 50);
    await issue('Todo', 50, { archivedAt: new Date() });
    expect(await client.project(projectId)).toMatchObject({ scope: 7, progress: 3 / 7 });
    await client.updateTeam('ENG', { defaultIssueEstimate: 2 });
    expect(await client.project(projectId)).toMatchObject({ scope: 8, progress: 3 / 8 });
  });

  it('goes to the archive, to the trash and back', async () => {
    const { org, client, create } = await organization();
    const project = await create();
    const archived = await project.archive();
    expect(archived.lastSyncId).toBe(2);
    expect((await archived.entity)!).toMatchObject({ archivedAt: expect.any(Date) });
    expect((await archived.entity)!.trashed).toBeUndefined();
    expect((await project.archive()).lastSyncId).toBe(2);
    expect((await client.projects()).nodes).toEqual([]);
    expect((await client.projects({ includeArchived: true })).nodes).toHaveLength(1);
    const back = (await (await project.unarchive()).entity)!;
    expect(back.archivedAt).toBeUndefined();
    expect((await project.unarchive()).lastSyncId).toBe(3);

    const deleted = await project.delete();
    expect((await deleted.entity)!).toMatchObject({ trashed: true, archivedAt: expect.any(Date) });
    expect((await project.delete()).lastSyncId).toBe(4);
    const restored = (await (await client.updateProject(project.id, { trashed: false })).project)!;
    expect([restored.trashed, restored.archivedAt]).toEqual([undefined, undefined]);
    await project.archive({ trash: true });
    await project.unarchive();
    await client.updateProject(project.id, { trashed: true });
    const events = await org.recorded();
    expect(events.map(({ kind }) => kind)).toEqual([
      'project.created',
      'project.updated',
      'project.updated',
      'project.removed',
      'project.updated',
      'project.removed',
      'project.updated',
      'project.removed',
    ]);
    const removed = events[3]!.data;
    expect(removed).not.toHaveProperty('updatedFrom');
    expect(removed.data).not.toHaveProperty('archivedAt');
    expect(removed.data).not.toHaveProperty('trashed');
  });

  it('is seen through any of its teams', async () => {
    const { org, client } = await organization();
    const bob = await org.member();
    const secret = await org.newTeam({ private: true }, bob.user);
    const make = async (teamIds: string[]) =>
      (await (
        await bob.client().createProject({ name: 'Hush', teamIds })
      ).project)!;
    const hidden = await make([secret.id]);
    const shared = await make([secret.id, org.team.id]);
    expect((await org.recorded()).map(({ room }) => room)).toEqual([
      `org:${org.id}/teams/${secret.id}`,
      `org:${org.id}`,
    ]);
    for (const id of [hidden.id, hidden.slugId, UNKNOWN, 'launch']) {
      expect(await refusal(client.project(id))).toEqual(notFound('Project'));
      expect(await refusal(client.updateProject(id, { name: 'X' }))).toEqual(notFound('Project'));
      expect(await refusal(client.deleteProject(id))).toEqual(notFound('Project'));
    }
    expect((await client.projects()).nodes.map(({ id }) => id)).toEqual([shared.id]);
    const seen = await client.project(shared.id);
    expect((await seen.teams()).nodes.map(({ key }) => key)).toEqual(['ENG']);
    // a list replaces what its writer sees: the team nobody told Ada of stays
    const other = await org.newTeam();
    await client.updateProject(shared.id, { teamIds: [other.id] });
    const all = (await (await bob.client().project(shared.id)).teams()).nodes.map(({ id }) => id);
    expect(all.toSorted()).toEqual([secret.id, other.id].toSorted());
  });

  it('sorts and filters', async () => {
    const { client, status, create } = await organization();
    await create({ name: 'b', priority: 1, statusId: status('Completed'), targetDate: '2026-05-01' });
    await create({ name: 'A', priority: 4 });
    await create({ name: 'c', targetDate: '2026-04-01' });
    const names = async (variables: Parameters<typeof client.projects>[0]) =>
      (await client.projects(variables)).nodes.map(({ name }) => name);
    expect(await names({})).toEqual(['c', 'A', 'b']);
    expect(await names({ sort: [{ name: {} }] })).toEqual(['A', 'b', 'c']);
    expect(await names({ sort: [{ targetDate: {} }] })).toEqual(['c', 'b', 'A']);
    expect(await names({ filter: { state: { eq: 'completed' } } })).toEqual(['b']);
    expect(await names({ filter: { priority: { gt: 0 } }, sort: [{ name: {} }] })).toEqual(['A', 'b']);
  });

  it('has six statuses to choose from', async () => {
    const { org, client, status } = await organization();
    const { nodes } = await client.projectStatuses();
    expect(nodes.map(({ position, name, type, color }) => [position, name, type, color]).toSorted()).toEqual([
      [0, 'Backlog', 'backlog', '#bec2c8'],
      [1, 'Planned', 'planned', '#e2e2e2'],
      [2, 'In Progress', 'started', '#f2c94c'],
      [3, 'Paused', 'paused', '#95a2b3'],
      [4, 'Completed', 'completed', '#5e6ad2'],
      [5, 'Canceled', 'canceled', '#95a2b3'],
    ]);
    expect(await client.projectStatus(status('Paused'))).toMatchObject({ name: 'Paused', indefinite: false });
    const foreign = await app.organization();
    const [status0] = (await foreign.client().projectStatuses()).nodes;
    expect(await refusal(org.client().projectStatus(status0!.id))).toEqual(notFound('ProjectStatus'));
  });

  it('stands in front of those created before it, also when many are at once', async () => {
    const { org } = await organization();
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
