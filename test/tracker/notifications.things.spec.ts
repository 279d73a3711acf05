import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { toldTo } from '../support/notifications.js';
import { organizationWithProjects } from '../support/tracker-clients.js';
import { builds } from '../support/tracker-issues.js';

const app = useApp();

/** docs/reference/tracker-notifications.md#causes */
describe('what people are told of comments, projects, documents and initiatives', () => {
  it('is a comment on what they follow, or a mention, which comes first and subscribes', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const issue = await builds(org).issue({ subscriberIds: [bob.user.id] });
    const comment = async (body: string, by = org, more: object = {}) =>
      (await (
        await by.client().createComment({ issueId: issue.id, body, ...more })
      ).comment)!;
    const first = await comment(`ask @${eve.user.displayName}`);
    await comment('done', eve as never, { parentId: first.id });
    expect(await toldTo(bob)).toEqual(['issueSubscribed', 'issueNewComment', 'issueNewComment']);
    expect(await toldTo(eve)).toEqual(['issueCommentMention']);
    expect(await toldTo(org)).toEqual(['issueNewComment']);
    const { notifications } = await org.data(
      `{ notifications { nodes { subtitle ... on IssueNotification { commentId parentCommentId comment { body } parentComment { id } } } } }`,
    );
    expect(notifications.nodes).toMatchObject([
      {
        subtitle: 'Eve commented.',
        comment: { body: 'done' },
        parentCommentId: first.id,
        parentComment: { id: first.id },
      },
    ]);
    await comment('subscribed by the mention');
    expect(await toldTo(eve)).toEqual(['issueCommentMention', 'issueNewComment']);
    await org.client().updateComment(first.id, { body: `ask @${eve.user.displayName} and @${bob.user.displayName}` });
    expect((await toldTo(bob)).slice(4)).toEqual(['issueCommentMention']);
    expect(await toldTo(eve)).toHaveLength(2);
    await org.client().deleteComment(first.id);
    expect(await toldTo(eve)).toEqual(['issueNewComment']);
  });

  it('is the end of a thread that they wrote in, and a reaction to what they wrote', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const make = builds(org);
    const issue = await make.issue({}, bob);
    const root = await make.comment(issue, { userId: bob.user.id });
    await make.comment(issue, { userId: eve.user.id, parentId: root.id });
    const client = org.client();
    await client.commentResolve(root.id);
    await client.commentUnresolve(root.id);
    await client.createReaction({ commentId: root.id, emoji: 'tada' });
    await client.createReaction({ commentId: root.id, emoji: ':tada:' });
    await client.createReaction({ issueId: issue.id, emoji: 'heart' });
    expect(await toldTo(bob)).toEqual(['issueThreadResolved', 'issueCommentReaction', 'issueEmojiReaction']);
    expect(await toldTo(eve)).toEqual(['issueThreadResolved']);
    const { notifications } = await bob.data(
      '{ notifications { nodes { category ... on IssueNotification { reactionEmoji commentId } } } }',
    );
    expect(notifications.nodes).toEqual([
      { category: 'reactions', reactionEmoji: 'heart', commentId: null },
      { category: 'reactions', reactionEmoji: 'tada', commentId: root.id },
      { category: 'commentsAndReplies', reactionEmoji: null, commentId: root.id },
    ]);
  });

  it('is a place in a project, and its updates and their comments', async () => {
    const { org, client, create } = await organizationWithProjects(app);
    const [lead, bob, eve] = [
      await org.member({ name: 'Lead' }),
      await org.member({ name: 'Bob' }),
      await org.member({ name: 'Eve' }),
    ];
    const project = await create({ leadId: lead.user.id, memberIds: [bob.user.id] });
    expect(await toldTo(lead)).toEqual(['projectAddedAsLead']);
    expect(await toldTo(bob)).toEqual(['projectAddedAsMember']);
    await client.updateProject(project.id, { leadId: bob.user.id, name: 'Landing' });
    expect(await toldTo(bob)).toEqual(['projectAddedAsMember', 'projectAddedAsLead']);
    expect(await toldTo(lead)).toEqual(['projectAddedAsLead']);
    const posted = await client.createProjectUpdate({
      projectId: project.id,
      body: `@${eve.user.displayName} and @${bob.user.displayName}: we are late`,
    });
    const update = (await posted.projectUpdate)!;
    expect(await toldTo(eve)).toEqual(['projectUpdateMention']);
    expect((await toldTo(bob)).slice(2)).toEqual(['projectUpdateMention']);
    expect((await toldTo(lead)).slice(1)).toEqual(['projectUpdateCreated']);
    await lead.client().createComment({ projectUpdateId: update.id, body: 'why?' });
    await lead.client().createReaction({ projectUpdateId: update.id, emoji: 'eyes' });
    expect(await toldTo(org)).toEqual(['projectUpdateNewComment', 'projectUpdateReaction']);
    await client.createComment({ projectId: project.id, body: 'all' });
    expect((await toldTo(bob)).slice(3)).toEqual(['projectNewComment']);
    const { notifications } = await lead.data(`{ notifications { nodes { __typename title groupingKey url
      ... on ProjectNotification { projectId project { id } projectUpdateId projectUpdate { body } comment { body } } } } }`);
    const { url } = await client.project(project.id);
    expect(notifications.nodes).toHaveLength(3);
    expect(notifications.nodes[1]).toMatchObject({
      __typename: 'ProjectNotification',
      title: 'Landing',
      groupingKey: `project:${project.id}`,
      url,
      project: { id: project.id },
      projectUpdate: { body: expect.stringContaining('late') },
      comment: null,
    });
  });

  it('is a comment on a document that they subscribe to', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const document = (await (await bob.client().createDocument({ title: 'Plan', teamId: org.team.id })).document)!;
    await org.client().createComment({ documentContentId: document.id, body: `@${eve.user.displayName}?` });
    expect(await toldTo(bob)).toEqual(['documentNewComment']);
    expect(await toldTo(eve)).toEqual(['documentCommentMention']);
    await eve.client().createComment({ documentContentId: document.id, body: 'yes' });
    expect(await toldTo(org)).toEqual(['documentNewComment']);
    const { notifications } = await bob.data(
      '{ notifications { nodes { __typename title groupingKey ... on DocumentNotification { documentId commentId } } } }',
    );
    expect(notifications.nodes[0]).toMatchObject({
      __typename: 'DocumentNotification',
      title: 'Plan',
      groupingKey: `document:${document.id}`,
      documentId: document.id,
      commentId: expect.any(String),
    });
  });

  it('is an initiative that becomes theirs, its updates and comments', async () => {
    const org = await app.organization();
    const [bob, eve] = [await org.member({ name: 'Bob' }), await org.member({ name: 'Eve' })];
    const client = org.client();
    const initiative = (await (await client.createInitiative({ name: 'Grow', ownerId: bob.user.id })).initiative)!;
    await client.updateInitiative(initiative.id, { name: 'Grow more' });
    const posted = await client.createInitiativeUpdate({
      initiativeId: initiative.id,
      body: `@${eve.user.displayName}`,
    });
    const update = (await posted.initiativeUpdate)!;
    await client.createComment({ initiativeId: initiative.id, body: 'well' });
    await bob.client().createComment({ initiativeUpdateId: update.id, body: 'well' });
    expect(await toldTo(bob)).toEqual(['initiativeAddedAsOwner', 'initiativeUpdateCreated', 'initiativeNewComment']);
    expect(await toldTo(eve)).toEqual(['initiativeUpdateMention']);
    expect(await toldTo(org)).toEqual(['initiativeUpdateNewComment']);
    const { notifications } = await org.data(`{ notifications { nodes { __typename title
      ... on InitiativeNotification { initiative { id } initiativeUpdate { id } comment { body } } } } }`);
    expect(notifications.nodes).toEqual([
      {
        __typename: 'InitiativeNotification',
        title: 'Grow more',
        initiative: { id: initiative.id },
        initiativeUpdate: { id: update.id },
        comment: { body: 'well' },
      },
    ]);
  });
});
