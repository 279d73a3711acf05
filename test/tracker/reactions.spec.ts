import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

describe('reactions', () => {
  const app = useApp();

  it('are made once of a person, an emoji and a thing, by name or character, and shown by emoji', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const issue = await builds(org).issue();
    const client = org.client();
    const react = async (emoji: string, of = org.client()) =>
      (await (
        await of.createReaction({ issueId: issue.identifier, emoji })
      ).reaction)!;
    const first = await react('+1');
    expect((await react(':+1:')).id).toBe(first.id);
    expect((await react('👍')).id).toBe(first.id);
    app.clock.advance(1000);
    const heart = await react('❤️');
    expect(heart.emoji).toBe('heart');
    app.clock.advance(1000);
    const bobs = await react('+1', bob.client());
    const { issue: shown } = await org.data(
      'query ($id: String!) { issue(id: $id) { updatedAt reactionData reactions { emoji user { id } issue { id } } } }',
      { id: issue.id },
    );
    expect(shown.updatedAt).toBe(issue.updatedAt.toISOString());
    expect(shown.reactions.map(({ emoji }: { emoji: string }) => emoji)).toEqual(['+1', 'heart', '+1']);
    expect(shown.reactionData).toEqual([
      {
        emoji: '+1',
        reactions: [
          { id: first.id, userId: org.user.id, reactedAt: first.createdAt.toISOString() },
          { id: bobs.id, userId: bob.user.id, reactedAt: bobs.createdAt.toISOString() },
        ],
      },
      { emoji: 'heart', reactions: [{ id: heart.id, userId: org.user.id, reactedAt: heart.createdAt.toISOString() }] },
    ]);
    expect((await refusal(client.deleteReaction(bobs.id)))[1]).toContain('You can only delete your own reactions.');
    await client.deleteReaction(first.id);
    expect(await refusal(client.deleteReaction(first.id))).toEqual(notFound('Reaction'));
    await client.updateIssue(issue.id, { title: 'New' });
    const [update] = await org.recorded('issue.updated');
    expect(update!.data['data'].reactionData.map(({ emoji }: { emoji: string }) => emoji)).toEqual(['heart', '+1']);
  });

  it('are of comments as well, told to webhooks with their person and thing, and found by filters', async () => {
    const org = await app.organization();
    const make = builds(org);
    const issue = await make.issue();
    const comment = await make.comment(issue);
    const client = org.client();
    const { reaction } = await client.createReaction({ commentId: comment.id, emoji: 'tada' });
    const { id } = (await reaction)!;
    const [created] = await org.recorded('reaction.created');
    expect(created!.data).toMatchObject({
      type: 'Reaction',
      action: 'create',
      data: { id, emoji: 'tada', commentId: comment.id, userId: org.user.id, user: { name: org.user.name } },
    });
    expect(created!.data['url']).toContain('#comment-');
    const filter = { reactions: { some: { emoji: { eq: 'tada' } } } };
    expect((await client.comments({ filter })).nodes.map((one) => one.id)).toEqual([comment.id]);
    expect((await client.issues({ filter: { comments: { some: filter } } })).nodes).toHaveLength(1);
    const { comment: shown } = await org.data(
      'query ($id: String!) { comment(id: $id) { reactions { comment { id } } reactionData } }',
      { id: comment.id },
    );
    expect(shown).toMatchObject({ reactions: [{ comment: { id: comment.id } }], reactionData: [{ emoji: 'tada' }] });
  });

  it('are refused without a thing, with two, with an unknown one and with a text that is no emoji', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const hidden = await make.issue({ team: await org.newTeam({ private: true }) });
    const issue = await make.issue();
    const { id: commentId } = await make.comment(issue);
    const create = async (input: object, of = org) =>
      (await refusal(of.client().createReaction({ emoji: '+1', ...input })))[1];
    expect(await create({})).toContain(
      'Exactly one of issueId, commentId, projectUpdateId or initiativeUpdateId must be defined',
    );
    expect(await create({ issueId: issue.id, commentId })).toContain(
      'Exactly one of issueId, commentId, projectUpdateId or initiativeUpdateId must be defined',
    );
    expect(await create({ issueId: issue.id, emoji: 'two words' })).toContain('emoji must be an emoji');
    expect(await refusal(bob.client().createReaction({ emoji: '+1', issueId: hidden.id }))).toEqual(
      unknownReference('issueId'),
    );
  });

  it('make one row of concurrent creations of one person', async () => {
    const org = await app.organization();
    const { id: issueId } = await builds(org).issue();
    const made = await Promise.all(
      Array.from({ length: 6 }, () => org.client().createReaction({ issueId, emoji: '+1' })),
    );
    expect(new Set(await Promise.all(made.map(async ({ reaction }) => (await reaction)!.id))).size).toBe(1);
  });
});
