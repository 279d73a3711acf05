import { InvalidInputLinearError } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

const CREATE = `mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) { success lastSyncId issue { id identifier number } }
}`;

const WHOLE = `mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) {
    success
    lastSyncId
    issue {
      id createdAt updatedAt archivedAt number identifier previousIdentifiers title description url branchName priority
      priorityLabel estimate dueDate teamId labelIds sortOrder prioritySortOrder subIssueSortOrder startedAt completedAt
      canceledAt addedToTeamAt addedToProjectAt addedToCycleAt trashed boardOrder customerTicketCount reactions { id }
      reactionData sharedAccess { isShared sharedWithCount viewerHasOnlySharedAccess disallowedIssueFields }
      state { id name type } team { id key } assignee { id } creator { id isMe } project { id } cycle { id } parent { id }
      labels { nodes { id name } } subscribers { nodes { id } } comments { nodes { id } } children { nodes { id } }
    }
  }
}`;

describe('issueCreate', () => {
  const app = useApp();

  it('answers the whole issue with its defaults, and records one event', async () => {
    const org = await app.organization();
    app.clock.freeze();
    const now = app.clock.now().toISOString();
    const { issueCreate } = await org.data(WHOLE, { input: { teamId: org.team.id, title: 'Login fails: Safari 17!' } });
    const { issue, ...payload } = issueCreate;
    const url = `${app.baseUrl}/${org.urlKey}/issue/ENG-1/login-fails-safari-17`;
    expect(payload).toEqual({ success: true, lastSyncId: 1 });
    expect(issue).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      createdAt: now,
      updatedAt: now,
      archivedAt: null,
      number: 1,
      identifier: 'ENG-1',
      previousIdentifiers: [],
      title: 'Login fails: Safari 17!',
      description: null,
      url,
      branchName: `${org.user.displayName}/eng-1-login-fails-safari-17`,
      priority: 0,
      priorityLabel: 'No priority',
      estimate: null,
      dueDate: null,
      teamId: org.team.id,
      labelIds: [],
      sortOrder: 0,
      prioritySortOrder: 0,
      subIssueSortOrder: null,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
      addedToTeamAt: now,
      addedToProjectAt: null,
      addedToCycleAt: null,
      trashed: null,
      boardOrder: 0,
      customerTicketCount: 0,
      reactions: [],
      reactionData: [],
      sharedAccess: {
        isShared: false,
        sharedWithCount: 0,
        viewerHasOnlySharedAccess: false,
        disallowedIssueFields: [],
      },
      state: { id: org.team.defaultIssueStateId, name: 'Backlog', type: 'backlog' },
      team: { id: org.team.id, key: 'ENG' },
      assignee: null,
      creator: { id: org.user.id, isMe: true },
      project: null,
      cycle: null,
      parent: null,
      labels: { nodes: [] },
      subscribers: { nodes: [{ id: org.user.id }] },
      comments: { nodes: [] },
      children: { nodes: [] },
    });
    const events = await org.recorded();
    const person = {
      id: org.user.id,
      name: 'Ada Lovelace',
      email: org.user.email,
      url: `${app.baseUrl}/${org.urlKey}/profiles/${org.user.displayName}`,
    };
    expect(events).toEqual([
      {
        kind: 'issue.created',
        room: `org:${org.id}`,
        syncId: 1,
        data: {
          action: 'create',
          actor: { ...person, type: 'user' },
          createdAt: now,
          data: {
            id: issue.id,
            createdAt: now,
            updatedAt: now,
            number: 1,
            identifier: 'ENG-1',
            previousIdentifiers: [],
            title: 'Login fails: Safari 17!',
            priority: 0,
            priorityLabel: 'No priority',
            sortOrder: 0,
            prioritySortOrder: 0,
            addedToTeamAt: now,
            url,
            teamId: org.team.id,
            stateId: org.team.defaultIssueStateId,
            creatorId: org.user.id,
            labelIds: [],
            subscriberIds: [org.user.id],
            reactionData: [],
            botActor: null,
            releases: [],
            team: { id: org.team.id, key: 'ENG', name: 'Engineering' },
            state: { id: org.team.defaultIssueStateId, name: 'Backlog', type: 'backlog', color: '#bec2c8' },
            creator: person,
            labels: [],
          },
          url,
          type: 'Issue',
          organizationId: org.id,
        },
      },
    ]);
  });

  it('accepts every reference through the official client', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const [started, label, other] = [await make.state('In Progress'), await make.label(), await make.label()];
    const [project, cycle, parent] = [await make.project(), await make.cycle(), await make.issue()];
    const about = await make.comment(parent);
    const payload = await org.client().createIssue({
      teamId: org.team.id,
      title: 'All of it',
      description: 'Text\nwith lines',
      priority: 2,
      estimate: 3,
      dueDate: '2030-01-02',
      stateId: started.id,
      assigneeId: bob.user.id,
      parentId: parent.identifier.toLowerCase(),
      projectId: project.id,
      cycleId: cycle.id,
      labelIds: [other.id, label.id, other.id],
      sourceCommentId: about.id,
    });
    const issue = await payload.issue;
    expect(issue).toMatchObject({
      title: 'All of it',
      description: 'Text\nwith lines',
      priority: 2,
      priorityLabel: 'High',
      estimate: 3,
      dueDate: '2030-01-02',
      labelIds: [other.id, label.id],
      sortOrder: -100,
      subIssueSortOrder: 0,
      assigneeId: bob.user.id,
      stateId: started.id,
      parentId: parent.id,
      projectId: project.id,
      cycleId: cycle.id,
    });
    expect(issue?.startedAt).toBeInstanceOf(Date);
    expect(issue?.addedToProjectAt).toEqual(issue?.addedToCycleAt);
    expect((await issue?.subscribers())?.nodes.map(({ id }) => id).sort()).toEqual([org.user.id, bob.user.id].sort());
    expect((await issue?.sourceComment)?.id).toBe(about.id);
    expect((await org.client().issueLabel(label.id)).lastAppliedAt).toBeInstanceOf(Date);
    const [, event] = (await org.recorded('issue.created')).map(({ data }) => data);
    expect(event?.['data']).toMatchObject({
      assignee: { id: bob.user.id, email: bob.user.email },
      project: { id: project.id, name: project.name, url: expect.stringContaining(`/project/`) },
      cycle: { id: cycle.id, number: cycle.number, startsAt: cycle.startsAt.toISOString() },
      labels: [
        { id: other.id, name: other.name, color: other.color },
        { id: label.id, name: label.name, color: label.color },
      ],
      parentId: parent.id,
      sourceCommentId: about.id,
    });
  });

  it('assigns unique numbers to 150 concurrent calls, each sorted before the last', async () => {
    const org = await app.organization();
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => org.data(CREATE, { input: { teamId: org.team.id, title: `Issue ${i}` } })),
    );
    const numbers = answers.map(({ issueCreate }) => issueCreate.issue.number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 150 }, (_, i) => i + 1));
    const syncIds = answers.map(({ issueCreate }) => issueCreate.lastSyncId).sort((a, b) => a - b);
    expect(syncIds).toEqual(numbers);
    const page = await org.data('{ issues(first: 250, sort: [{ manual: {} }]) { nodes { number sortOrder } } }');
    expect(page.issues.nodes.map((node: { number: number }) => node.number)).toEqual([...numbers].reverse());
    expect(new Set(page.issues.nodes.map((node: { sortOrder: number }) => node.sortOrder)).size).toBe(150);
  });

  it('creates valid issues beside refused ones', async () => {
    const org = await app.organization();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        org.graphql(CREATE, {
          input: { teamId: org.team.id, title: `${i}`, ...(i % 2 ? { stateId: crypto.randomUUID() } : {}) },
        }),
      ),
    );
    expect(answers.map(({ body }) => body.errors?.[0]?.message ?? null)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? 'Entity not found in validateAccess: stateId' : null)),
    );
    const numbers = answers.flatMap(({ body }) => body.data?.issueCreate?.issue.number ?? []);
    expect(numbers.sort((a: number, b: number) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('accepts a client id, and refuses it the second time with "conflict on insert of Issue"', async () => {
    const org = await app.organization();
    const id = crypto.randomUUID();
    const input = { id: id.toUpperCase(), teamId: org.team.id, title: 'Mine' };
    const answers = await Promise.all([1, 2, 3].map(() => org.graphql(CREATE, { input })));
    expect(answers.filter(({ body }) => body.data?.issueCreate?.issue.id === id)).toHaveLength(1);
    expect(await org.error(CREATE, { input })).toMatchObject({
      message: 'conflict on insert of Issue',
      extensions: {
        type: 'invalid input',
        code: 'INPUT_ERROR',
        userPresentableMessage: `Entity Issue with id ${id} already exists.`,
      },
    });
    await expect(org.client().createIssue(input)).rejects.toBeInstanceOf(InvalidInputLinearError);
    const { issueCreate } = await org.data(CREATE, { input: { teamId: org.team.id, title: 'Next' } });
    expect(issueCreate.issue.number).toBe(2);
  });

  it('accepts dates in the past, and sets the dates of its state', async () => {
    const org = await app.organization();
    const make = builds(org);
    app.clock.freeze();
    const now = app.clock.now();
    const fields = 'createdAt updatedAt startedAt completedAt canceledAt';
    const create = async (input: Record<string, unknown>) =>
      (
        await org.data(`mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ${fields} } } }`, {
          input: { teamId: org.team.id, title: 'X', ...input },
        })
      ).issueCreate.issue;
    const done = await make.state('Done');
    const [createdAt, completedAt] = ['2020-01-01T00:00:00.000Z', '2020-02-01T00:00:00.000Z'];
    expect(await create({ stateId: done.id, createdAt, completedAt })).toEqual({
      createdAt,
      updatedAt: createdAt,
      startedAt: completedAt,
      completedAt,
      canceledAt: null,
    });
    const at = now.toISOString();
    expect(await create({ stateId: done.id })).toMatchObject({ startedAt: at, completedAt: at, canceledAt: null });
    for (const name of ['Canceled', 'Duplicate']) {
      const { id } = await make.state(name);
      expect(await create({ stateId: id })).toMatchObject({ startedAt: null, completedAt: null, canceledAt: at });
    }
  });

  it('subscribes the named users in place of the assignee, and always the creator', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member(), await org.member()];
    const { issueCreate } = await org.data(WHOLE, {
      input: { teamId: org.team.id, title: 'X', assigneeId: bob.user.id, subscriberIds: [eve.user.id] },
    });
    const ids = issueCreate.issue.subscribers.nodes.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([org.user.id, eve.user.id].sort());
  });

  it('keeps given sort orders and continues from them', async () => {
    const org = await app.organization();
    const make = builds(org);
    expect((await make.issue({ sortOrder: 250.5, prioritySortOrder: 7 })).prioritySortOrder).toBe(7);
    expect(await make.issue()).toMatchObject({ sortOrder: 150.5, prioritySortOrder: 150.5 });
    const parent = await make.issue();
    expect(await make.issue({ parentId: parent.id, subIssueSortOrder: 40 })).toMatchObject({ subIssueSortOrder: 40 });
    expect(await make.issue({ parentId: parent.id })).toMatchObject({ subIssueSortOrder: 140 });
  });
});
