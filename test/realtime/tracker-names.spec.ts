import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { builds } from '../support/tracker-issues.js';

// docs/reference/realtime.md#tracker
describe('the names of the tracker’s events on sockets', () => {
  const app = useApp();

  it('are those of their entities, for whoever sees the entity', async () => {
    const org = await app.organization();
    const client = org.client();
    const ear = await Listener.connect(app, { token: (await org.member()).apiKey });
    const [issue, other] = [await builds(org).issue({ title: 'A' }), await builds(org).issue({ title: 'B' })];
    const projects = [];
    for (const name of ['P', 'Q'])
      projects.push((await client.createProject({ name, teamIds: [org.team.id] })).projectId!);
    const [projectId, relatedProjectId] = projects as [string, string];
    const expected: string[] = [];
    /** Creates, updates and deletes something, and says what is heard of it. */
    const live = async (
      word: string,
      create: () => Promise<string>,
      update: ((id: string) => Promise<unknown>) | undefined,
      remove: (id: string) => Promise<unknown>,
    ): Promise<void> => {
      const id = await create();
      if (update) await update(id);
      await remove(id);
      expected.push(`${word}.created`, ...(update ? [`${word}.updated`] : []), `${word}.removed`);
    };

    await live(
      'attachment',
      async () =>
        (await client.createAttachment({ issueId: issue.id, url: 'https://a.example/', title: 'T' })).attachmentId!,
      (id) => client.updateAttachment(id, { title: 'U' }),
      (id) => client.deleteAttachment(id),
    );
    await live(
      'document',
      async () => (await client.createDocument({ title: 'T', projectId })).documentId!,
      (id) => client.updateDocument(id, { title: 'U' }),
      (id) => client.deleteDocument(id),
    );
    await live(
      'projectLabel',
      async () => (await client.createProjectLabel({ name: 'T' })).projectLabelId!,
      (id) => client.updateProjectLabel(id, { name: 'U' }),
      (id) => client.deleteProjectLabel(id),
    );
    await live(
      'projectMilestone',
      async () => (await client.createProjectMilestone({ name: 'T', projectId })).projectMilestoneId!,
      (id) => client.updateProjectMilestone(id, { name: 'U' }),
      (id) => client.deleteProjectMilestone(id),
    );
    await live(
      'initiativeLabel',
      async () => (await client.createInitiativeLabel({ name: 'T' })).initiativeLabelId!,
      (id) => client.updateInitiativeLabel(id, { name: 'U' }),
      (id) => client.deleteInitiativeLabel(id),
    );
    await live(
      'issueRelation',
      async () =>
        (await client.createIssueRelation({ issueId: issue.id, relatedIssueId: other.id, type: 'related' as never }))
          .issueRelationId!,
      (id) => client.updateIssueRelation(id, { type: 'blocks' }),
      (id) => client.deleteIssueRelation(id),
    );
    await live(
      'projectRelation',
      async () =>
        (
          await client.createProjectRelation({
            projectId,
            relatedProjectId,
            type: 'dependency',
            anchorType: 'end',
            relatedAnchorType: 'start',
          })
        ).projectRelationId!,
      (id) => client.updateProjectRelation(id, { type: 'blocks' }),
      (id) => client.deleteProjectRelation(id),
    );
    await live(
      'reaction',
      async () => (await client.createReaction({ issueId: issue.id, emoji: 'tada' })).reaction.id,
      undefined,
      (id) => client.deleteReaction(id),
    );
    await live(
      'customer',
      async () => (await client.createCustomer({ name: 'T' })).customerId!,
      (id) => client.updateCustomer(id, { name: 'U' }),
      (id) => client.deleteCustomer(id),
    );
    const customerId = (await client.createCustomer({ name: 'Acme' })).customerId!;
    expected.push('customer.created');
    await live(
      'customerNeed',
      async () => (await client.createCustomerNeed({ customerId, issueId: issue.id, body: 'T' })).needId!,
      (id) => client.updateCustomerNeed(id, { body: 'U' }),
      (id) => client.deleteCustomerNeed(id),
    );
    await live(
      'template',
      async () => (await client.createTemplate({ name: 'T', type: 'issue', templateData: {} })).templateId!,
      (id) => client.updateTemplate(id, { name: 'U' }),
      (id) => client.deleteTemplate(id),
    );
    await live(
      'customView',
      async () => (await client.createCustomView({ name: 'T', shared: true })).customViewId!,
      (id) => client.updateCustomView(id, { name: 'U' }),
      (id) => client.deleteCustomView(id),
    );
    const update = (await client.createProjectUpdate({ projectId, body: 'T' })).projectUpdateId!;
    await client.updateProjectUpdate(update, { body: 'U' });
    const initiativeId = (await client.createInitiative({ name: 'T' })).initiativeId!;
    await client.updateInitiative(initiativeId, { name: 'U' });
    const news = (await client.createInitiativeUpdate({ initiativeId, body: 'T' })).initiativeUpdateId!;
    await client.updateInitiativeUpdate(news, { body: 'U' });
    await client.deleteInitiative(initiativeId);
    const pipelineId = (await client.createReleasePipeline({ name: 'T' })).releasePipelineId!;
    const releaseId = (await client.createRelease({ pipelineId, name: 'T' })).releaseId!;
    await client.updateRelease(releaseId, { name: 'U' });
    const note = (await client.createReleaseNote({ pipelineId, title: 'T', releaseIds: [releaseId] })).releaseNoteId!;
    await client.updateReleaseNote(note, { title: 'U' });
    await client.deleteReleaseNote(note);
    const bob = await org.member();
    const secret = await org.newTeam({ key: 'PUB' });
    await client.createIssueLabel({ name: 'last' });
    expected.push('projectUpdate.created', 'projectUpdate.updated', 'initiative.created', 'initiative.updated');
    expected.push('initiativeUpdate.created', 'initiativeUpdate.updated', 'initiative.removed');
    expected.push('release.created', 'release.updated');
    expected.push('releaseNote.created', 'releaseNote.updated', 'releaseNote.removed');
    expect([bob.user.id, secret.id]).toHaveLength(2);

    await ear.untilHeard('label.created');
    const others = /^(issue|project|label|user|team|comment|webhook|releasePipeline|releaseStage|organization)\./;
    expect(ear.names.filter((name) => !others.test(name))).toEqual(expected);
  });

  it('of notifications and favorites reach their owner alone', async () => {
    const org = await app.organization();
    const [alice, bob] = [await org.member({ name: 'Alice' }), await org.member({ name: 'Bob', admin: true })];
    const ears = [];
    for (const one of [alice, bob, org]) ears.push(await Listener.connect(app, { token: one.apiKey }));
    const [hers, his, owners] = ears as [Listener, Listener, Listener];
    const issue = await builds(org).issue({ title: 'A' });
    const favorite = (await alice.client().createFavorite({ issueId: issue.id })).favoriteId!;
    await alice.client().updateFavorite(favorite, { sortOrder: 2 });
    await alice.client().deleteFavorite(favorite);
    await org.client().updateIssue(issue.id, { assigneeId: alice.user.id });
    const notification = (await alice.client().notifications()).nodes[0]!;
    await alice.client().updateNotification(notification.id, { readAt: new Date() });
    await org.client().createIssueLabel({ name: 'last' });
    for (const ear of ears) await ear.untilHeard('label.created');
    const own = ({ names }: Listener): string[] => names.filter((name) => /^(notification|favorite)\./.test(name));
    expect(own(hers)).toEqual([
      'favorite.created',
      'favorite.updated',
      'favorite.removed',
      'notification.created',
      'notification.updated',
    ]);
    expect([own(his), own(owners)]).toEqual([[], []]);
    expect(hers.of('notification.created')[0]).toMatchObject({ data: { id: notification.id } });
  });
});
