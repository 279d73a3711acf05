import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const FIELDS = `id createdAt updatedAt body quotedText editedAt issueId projectId parentId resolvedAt resolvingCommentId url
  issue { id } project { id } parent { id } user { id } resolvingUser { id } resolvingComment { id }
  reactions { id } reactionData archivedAt children { nodes { id } } createdIssues { nodes { id } }`;
const CREATE = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success lastSyncId comment { ${FIELDS} } } }`;
const UPDATE = `mutation($id: String!, $input: CommentUpdateInput!, $skip: Boolean) {
  commentUpdate(id: $id, input: $input, skipEditedAt: $skip) { lastSyncId comment { body editedAt updatedAt } } }`;
const DELETE = 'mutation($id: String!) { commentDelete(id: $id) { success lastSyncId entityId } }';
const RESOLVE = `mutation($id: String!, $by: String) {
  commentResolve(id: $id, resolvingCommentId: $by) { lastSyncId comment { ${FIELDS} } } }`;

const refusal = async (on: TrackerCaller, query: string, variables: Record<string, unknown>) => {
  const { message, extensions } = await on.error(query, variables);
  return { message, userMessage: extensions['userPresentableMessage'] };
};

describe('commentCreate', () => {
  const app = useApp();

  it('answers the whole comment, subscribes its author, and records an event', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue({ title: 'Login fails' });
    const bob = await org.member();
    app.clock.advance(5000);
    app.clock.freeze();
    const now = app.clock.now().toISOString();
    const input = { issueId: issue.identifier.toLowerCase(), body: 'Seen **here**', quotedText: 'fails' };
    const { commentCreate } = await bob.data(CREATE, { input });
    const { id } = commentCreate.comment;
    const url = `${app.baseUrl}/${org.urlKey}/issue/ENG-1/login-fails#comment-${id.slice(0, 8)}`;
    expect(commentCreate).toEqual({
      success: true,
      // its issue's subscriber is told before
      lastSyncId: 3,
      comment: {
        id,
        createdAt: now,
        updatedAt: now,
        body: 'Seen **here**',
        quotedText: 'fails',
        editedAt: null,
        issueId: issue.id,
        projectId: null,
        parentId: null,
        resolvedAt: null,
        resolvingCommentId: null,
        url,
        issue: { id: issue.id },
        project: null,
        parent: null,
        user: { id: bob.user.id },
        resolvingUser: null,
        resolvingComment: null,
        reactions: [],
        reactionData: [],
        archivedAt: null,
        children: { nodes: [] },
        createdIssues: { nodes: [] },
      },
    });
    const after = await org.client().issue(issue.id);
    expect(after.updatedAt).toEqual(issue.updatedAt);
    expect((await after.subscribers()).nodes.map((user) => user.id)).toContain(bob.user.id);
    const [event] = await org.recorded('comment.created');
    expect(event?.data).toMatchObject({
      action: 'create',
      type: 'Comment',
      url,
      actor: { id: bob.user.id },
      data: {
        id,
        createdAt: now,
        updatedAt: now,
        body: 'Seen **here**',
        quotedText: 'fails',
        issueId: issue.id,
        userId: bob.user.id,
        reactionData: [],
        botActor: null,
        issue: { id: issue.id, identifier: 'ENG-1', title: 'Login fails', teamId: org.team.id, team: { key: 'ENG' } },
        user: { id: bob.user.id, name: 'Bob Builder', email: bob.user.email },
      },
    });
    const hash = await org.data(`{ comment(hash: "${id.slice(0, 8).toUpperCase()}") { id } }`);
    expect(hash.comment.id).toBe(id);
  });

  it('accepts replies, comments on projects, dates in the past, and doNotSubscribeToIssue', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const [issue, project] = [await make.issue(), await make.project()];
    const client = bob.client();
    const top = await (
      await client.createComment({ issueId: issue.id, body: 'A', doNotSubscribeToIssue: true })
    ).comment;
    const reply = await (
      await client.createComment({
        issueId: issue.id,
        parentId: top!.id,
        body: 'B',
        doNotSubscribeToIssue: true,
        createdAt: new Date('2020-01-01'),
      })
    ).comment;
    expect(reply).toMatchObject({ parentId: top!.id, createdAt: new Date('2020-01-01') });
    expect((await top!.children({ id: top!.id })).nodes.map(({ id }) => id)).toEqual([reply!.id]);
    const onProject = await (await client.createComment({ projectId: project.id, body: 'C' })).comment;
    expect(onProject).toMatchObject({
      projectId: project.id,
      url: expect.stringContaining(`${project.slugId}#comment-`),
    });
    expect((await (await client.issue(issue.id)).subscribers()).nodes.map(({ id }) => id)).toEqual([org.user.id]);
    expect((await client.comments({ filter: { issue: { id: { eq: issue.id } } } })).nodes).toHaveLength(2);
  });

  it('refuses invalid inputs and parents', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [issue, other, project] = [await make.issue(), await make.issue(), await make.project()];
    const top = await make.comment(issue);
    const reply = await make.comment(issue, { parentId: top.id });
    const invalid = 'Argument Validation Error';
    const cases: [Record<string, unknown>, string, string | RegExp][] = [
      [
        { body: 'X' },
        invalid,
        'Exactly one of issueId, projectId, documentContentId, projectUpdateId, initiativeId or initiativeUpdateId must be defined.',
      ],
      [
        { issueId: issue.id, projectId: project.id, body: 'X' },
        invalid,
        'Exactly one of issueId, projectId, documentContentId, projectUpdateId, initiativeId or initiativeUpdateId must be defined.',
      ],
      [{ issueId: issue.id }, invalid, 'body should not be empty.'],
      [{ issueId: issue.id, body: ' \n' }, invalid, 'body should not be empty.'],
      [{ issueId: issue.id, body: 'X', createdAt: 'P1D' }, invalid, /^maximal allowed date for createdAt/],
      [{ issueId: issue.id, body: 'X', parentId: reply.id }, 'parentId is a reply', /\.$/],
      [{ issueId: other.id, body: 'X', parentId: top.id }, 'parentId of another issue or project', /\.$/],
      ...['issueId', 'projectId'].map((field): [Record<string, unknown>, string, RegExp] => [
        { [field]: randomUUID(), body: 'X' },
        `Entity not found in validateAccess: ${field}`,
        /could not be found/,
      ]),
      [{ issueId: issue.id, body: 'X', parentId: randomUUID() }, 'Entity not found in validateAccess: parentId', /\./],
      [{ issueId: issue.id, body: 'X', id: top.id }, 'conflict on insert of Comment', /already exists\.$/],
    ];
    for (const [input, message, userMessage] of cases) {
      const got = await refusal(org, CREATE, { input });
      expect(got.message, JSON.stringify(input)).toBe(message);
      if (typeof userMessage === 'string') expect(got.userMessage).toBe(userMessage);
      else expect(got.userMessage).toMatch(userMessage);
    }
    expect(await org.recorded('comment.created')).toEqual([]);
  });

  it('does not find comments of private teams, and answers "Entity not found: Comment" without id and hash', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const issue = await make.issue({ team: await org.newTeam({ private: true }) });
    const { id } = await make.comment(issue);
    expect((await refusal(bob, CREATE, { input: { issueId: issue.id, body: 'X' } })).message).toBe(
      'Entity not found in validateAccess: issueId',
    );
    for (const args of [`(id: "${id}")`, `(hash: "${id.slice(0, 8)}")`, '']) {
      expect((await bob.error(`{ comment${args} { id } }`)).message).toBe('Entity not found: Comment');
    }
    expect((await bob.data('{ comments { nodes { id } } }')).comments.nodes).toEqual([]);
    expect((await org.data('{ comments { nodes { id } } }')).comments.nodes).toEqual([{ id }]);
  });
});

describe('commentUpdate', () => {
  const app = useApp();

  it('edits, sets editedAt by default, and does nothing for an unchanged comment', async () => {
    const org = await app.organization();
    const make = builds(org);
    const { id } = await make.comment(await make.issue(), { body: 'A' });
    app.clock.advance(5000);
    const nothing = (await org.data(UPDATE, { id, input: { body: 'A' } })).commentUpdate;
    expect(nothing).toMatchObject({ lastSyncId: 1, comment: { editedAt: null } });
    const quiet = (await org.data(UPDATE, { id, input: { body: 'B' }, skip: true })).commentUpdate;
    expect(quiet).toMatchObject({ lastSyncId: 2, comment: { body: 'B', editedAt: null } });
    const loud = (await org.data(UPDATE, { id, input: { body: 'C' } })).commentUpdate;
    expect(loud.comment.editedAt).toBe(loud.comment.updatedAt);
    const events = await org.recorded('comment.updated');
    expect(events.map(({ data }) => data['updatedFrom'].body)).toEqual(['A', 'B']);
    expect(events[1]?.data['updatedFrom']).toMatchObject({ editedAt: null });
  });

  it('is for the author only; an admin may delete too', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [bob, admin] = [await org.member(), await org.member({ admin: true })];
    const { id } = await make.comment(await make.issue());
    for (const caller of [bob, admin]) {
      const { message, extensions } = await caller.error(UPDATE, { id, input: { body: 'X' } });
      expect([message, extensions['code']]).toEqual(['Forbidden', 'FORBIDDEN']);
    }
    expect((await bob.error(DELETE, { id })).message).toBe('Forbidden');
    expect((await org.error(UPDATE, { id, input: { body: null } })).message).toBe('Argument Validation Error');
    expect((await admin.data(DELETE, { id })).commentDelete).toMatchObject({ success: true, entityId: id });
    expect((await org.error(DELETE, { id })).message).toBe('Entity not found: Comment');
  });
});

describe('commentDelete', () => {
  const app = useApp();

  it('deletes the replies too, with an event for each', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const top = await make.comment(issue);
    const replies = [await make.comment(issue, { parentId: top.id }), await make.comment(issue, { parentId: top.id })];
    const born = await make.issue({ sourceCommentId: top.id });
    const { commentDelete } = await org.data(DELETE, { id: top.id });
    expect(commentDelete).toMatchObject({ entityId: top.id, lastSyncId: 5 });
    const gone = (await org.recorded('comment.removed')).map(({ data }) => data['data'].id);
    expect(gone.slice(0, 2).sort()).toEqual(replies.map(({ id }) => id).sort());
    expect(gone[2]).toBe(top.id);
    expect((await org.data('{ comments { nodes { id } } }')).comments.nodes).toEqual([]);
    expect((await org.client().issue(born.id)).sourceCommentId).toBeUndefined();
  });
});

describe('commentResolve and commentUnresolve', () => {
  const app = useApp();

  it('resolve a thread, with one of its replies or without, and reopen it', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const top = await make.comment(issue);
    const reply = await make.comment(issue, { parentId: top.id });
    const resolved = (await org.data(RESOLVE, { id: top.id, by: reply.id })).commentResolve;
    expect(resolved).toMatchObject({
      lastSyncId: 2,
      comment: { resolvingUser: { id: org.user.id }, resolvingComment: { id: reply.id } },
    });
    app.clock.advance(1000);
    const again = (await org.data(RESOLVE, { id: top.id })).commentResolve;
    expect(again).toMatchObject({ lastSyncId: 3, comment: { resolvingCommentId: null } });
    expect(again.comment.resolvedAt > resolved.comment.resolvedAt).toBe(true);
    const open = await org.client().commentUnresolve(top.id);
    expect(open.lastSyncId).toBe(4);
    expect((await open.comment)?.resolvedAt).toBeUndefined();
    expect((await org.client().commentUnresolve(top.id)).lastSyncId).toBe(4);
    expect((await org.recorded('comment.updated'))[0]?.data['updatedFrom']).toMatchObject({ resolvedAt: null });
  });

  it('refuse replies, and resolving comments of other threads', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const top = await make.comment(issue);
    const reply = await make.comment(issue, { parentId: top.id });
    const other = await make.comment(issue);
    expect((await refusal(org, RESOLVE, { id: reply.id })).message).toBe('comment is a reply');
    expect((await refusal(org, RESOLVE, { id: top.id, by: other.id })).message).toBe(
      'resolvingCommentId is not a reply',
    );
    expect((await refusal(org, RESOLVE, { id: top.id, by: randomUUID() })).message).toBe(
      'Entity not found in validateAccess: resolvingCommentId',
    );
    expect((await refusal(org, RESOLVE, { id: randomUUID() })).message).toBe('Entity not found: Comment');
  });
});
