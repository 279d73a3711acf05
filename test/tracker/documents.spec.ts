import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const OWNERS = 'projectId, initiativeId, issueId, teamId, cycleId or releaseId';

describe('documents', () => {
  const app = useApp();

  it('are on exactly one thing, found by id and slug, changed and moved', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const project = await make.project({ name: 'Q1' });
    const issue = await make.issue();
    const input = { projectId: project.id, title: 'The plan', content: 'long', color: '#112233' };
    const made = (await (await client.createDocument(input)).document)!;
    expect(made).toMatchObject({ title: 'The plan', content: 'long', color: '#112233', documentContentId: made.id });
    expect(made.slugId).toMatch(/^[0-9a-f]{12}$/);
    expect(made.url).toBe(`${app.baseUrl}/${org.urlKey}/document/the-plan-${made.slugId}`);
    expect((await client.document(made.slugId)).id).toBe(made.id);
    expect((await client.document(`the-plan-${made.slugId}`)).id).toBe(made.id);
    expect([(await made.creator)?.id, (await made.updatedBy)?.id]).toEqual([org.user.id, org.user.id]);
    const none = invalidArgument(`Exactly one of ${OWNERS} must be defined.`);
    expect(await refusal(client.createDocument({ title: 'Nowhere' }))).toEqual(none);
    expect(await refusal(client.createDocument({ ...input, issueId: issue.id }))).toEqual(none);
    expect(await refusal(client.updateDocument(made.id, { projectId: null }))).toEqual(none);
    expect(await refusal(client.createDocument({ title: 'x', teamId: project.id }))).toEqual(
      unknownReference('teamId'),
    );
    const bob = await org.member();
    await bob.client().updateDocument(made.id, { issueId: issue.identifier, title: 'Moved' });
    const moved = await client.document(made.id);
    expect([(await moved.issue)?.id, await moved.project, (await moved.updatedBy)?.id]).toEqual([
      issue.id,
      undefined,
      bob.user.id,
    ]);
    expect((await (await client.issue(issue.id)).documents()).nodes.map(({ title }) => title)).toEqual(['Moved']);
    expect((await (await client.project(project.id)).documents()).nodes).toEqual([]);
    const [created] = await org.recorded('document.created');
    expect(created!.data).toMatchObject({
      type: 'Document',
      url: made.url,
      data: {
        id: made.id,
        title: 'The plan',
        projectId: project.id,
        slugId: made.slugId,
        subscriberIds: [org.user.id],
      },
    });
    expect((await org.recorded('document.updated'))[0]!.data).toMatchObject({
      updatedFrom: { title: 'The plan', projectId: project.id, updatedById: org.user.id },
    });
    expect(isFiring('Document')).toBe(true);
  });

  it('are listed with filters and sorts, without those in the trash', async () => {
    const org = await app.organization();
    const client = org.client();
    const project = await builds(org).project({ name: 'Q1' });
    const ids = [];
    for (const title of ['beta', 'Alpha']) {
      app.clock.advance(1000);
      ids.push((await client.createDocument({ teamId: org.team.id, title })).documentId!);
    }
    await client.createDocument({ projectId: project.id, title: 'Gamma' });
    const titles = async (query = '') =>
      (await org.data(`{ documents${query} { nodes { title } } }`)).documents.nodes.map(
        ({ title }: { title: string }) => title,
      );
    expect(await titles('(sort: [{ title: { order: Ascending } }])')).toEqual(['Alpha', 'beta', 'Gamma']);
    expect(await titles('(filter: { project: { name: { eq: "Q1" } } })')).toEqual(['Gamma']);
    expect(await titles('(filter: { team: { key: { eq: "ENG" } }, title: { startsWith: "A" } })')).toEqual(['Alpha']);
    await client.deleteDocument(ids[0]!);
    expect(await client.document(ids[0]!)).toMatchObject({ trashed: true, archivedAt: expect.any(Date) });
    expect(await titles('(sort: [{ title: { order: Ascending } }])')).toEqual(['Alpha', 'Gamma']);
    expect(await org.recorded('document.removed')).toHaveLength(1);
    await client.unarchiveDocument(ids[0]!);
    expect(await titles()).toHaveLength(3);
    await client.updateDocument(ids[0]!, { trashed: true });
    expect(await titles()).toHaveLength(2);
    expect(await org.recorded('document.removed')).toHaveLength(2);
    await client.updateDocument(ids[0]!, { trashed: false });
    expect(await titles()).toHaveLength(3);
  });

  it('take comments, whose authors subscribe', async () => {
    const org = await app.organization();
    const client = org.client();
    const bob = await org.member();
    const id = (await client.createDocument({ teamId: org.team.id, title: 'Plan', content: 'long' })).documentId!;
    const { documentContentId } = await client.document(id);
    const { commentId } = await bob.client().createComment({ documentContentId: documentContentId!, body: 'Good' });
    await bob.client().createComment({ documentContentId: id, parentId: commentId!, body: 'Yes' });
    const { document, comment } = await org.data(
      `query ($id: String!, $comment: String!) {
        document(id: $id) { comments { nodes { body parent { body } } } subscribers { nodes { id } } }
        comment(id: $comment) { url documentContentId documentContent { id content document { title } } } }`,
      { id, comment: commentId },
    );
    expect(document.comments.nodes).toEqual([
      { body: 'Yes', parent: { body: 'Good' } },
      { body: 'Good', parent: null },
    ]);
    expect(document.subscribers.nodes.map((one: { id: string }) => one.id).toSorted()).toEqual(
      [org.user.id, bob.user.id].toSorted(),
    );
    expect(comment).toEqual({
      url: expect.stringMatching(/\/document\/plan-[0-9a-f]{12}#comment-/),
      documentContentId: id,
      documentContent: { id, content: 'long', document: { title: 'Plan' } },
    });
    const filter = { documentContent: { content: { startsWith: 'lo' }, document: { title: { eq: 'Plan' } } } };
    expect((await client.comments({ filter })).nodes).toHaveLength(2);
    const matching = async (documentContent: object): Promise<number> =>
      (await client.comments({ filter: { documentContent } })).nodes.length;
    // a content refers to its document alone, whatever that is on
    for (const owner of ['issue', 'project', 'initiative', 'projectMilestone']) {
      expect(await matching({ [owner]: { id: { nin: [] } } }), owner).toBe(0);
      expect(await matching({ or: [{ [owner]: { createdAt: { gt: '-P1Y' } } }, { id: { eq: id } }] }), owner).toBe(2);
      expect(await matching({ [owner]: {}, document: { title: { eq: 'Plan' } } }), owner).toBe(2);
    }
    const [first] = await org.recorded('comment.created');
    expect(first!.data).toMatchObject({
      data: { documentContentId: id, documentContent: { document: { id, title: 'Plan' } } },
    });
    await client.deleteComment(commentId!);
    expect((await client.comments({ filter })).nodes).toEqual([]);
  });

  it('of what a private team hides are hidden with their comments', async () => {
    const org = await app.organization();
    const bob = (await org.member()).client();
    const secret = await org.newTeam({ private: true });
    const client = org.client();
    const id = (await client.createDocument({ teamId: secret.id, title: 'Hush' })).documentId!;
    const { commentId } = await client.createComment({ documentContentId: id, body: 'Psst' });
    expect(await refusal(bob.document(id))).toEqual(notFound('Document'));
    expect((await bob.documents()).nodes).toEqual([]);
    expect(await refusal(bob.comment({ id: commentId! }))).toEqual(notFound('Comment'));
    expect(await refusal(bob.createComment({ documentContentId: id, body: 'Me' }))).toEqual(
      unknownReference('documentContentId'),
    );
    expect((await org.recorded('document.created'))[0]!.room).toBe(`org:${org.id}/teams/${secret.id}`);
    expect((await org.recorded('comment.created'))[0]!.room).toBe(`org:${org.id}/teams/${secret.id}`);
  });

  it('are seeded below projects, issues, teams and cycles or by what they are on, exported, and told in the state', async () => {
    const tracker = {
      teams: [
        {
          key: 'ENG',
          documents: [{ title: 'Handbook' }],
          cycles: [
            {
              starts_at: '2026-01-05',
              ends_at: '2026-01-19',
              documents: [{ title: 'Retro' }],
              links: [{ label: 'Board', url: 'https://board.example/' }],
            },
            { starts_at: '2026-01-19', ends_at: '2026-02-02', documents: [{ title: 'Goals' }] },
          ],
          issues: [{ title: 'Fix', documents: [{ title: 'Notes' }] }],
        },
      ],
      projects: [{ name: 'Q1', teams: ['ENG'], documents: [{ title: 'Plan', content: 'long', as: 'alice' }] }],
      documents: [{ title: 'Other', project: 'Q1' }],
    };
    const made = await makeSandbox(app, { users: ['alice'], tracker });
    const self = (method: string, path: string, body?: object) =>
      send(app, method, `/api/sandboxes/self${path}`, made.ctl, body);
    const { body } = await self('GET', '/seed');
    const titlesOf = (list: { title: string }[]) => list.map(({ title }) => title).toSorted();
    expect(titlesOf(body.tracker.projects[0].documents)).toEqual(['Other', 'Plan']);
    expect(body.tracker.projects[0].documents).toContainEqual({ title: 'Plan', content: 'long', as: 'alice' });
    expect(titlesOf(body.tracker.teams[0].documents)).toEqual(['Handbook']);
    const [first, second] = body.tracker.teams[0].cycles;
    expect([titlesOf(first.documents), first.links]).toEqual([
      ['Retro'],
      [{ label: 'Board', url: 'https://board.example/' }],
    ]);
    expect([second.number, titlesOf(second.documents)]).toEqual([2, ['Goals']]);
    expect(titlesOf(body.tracker.teams[0].issues[0].documents)).toEqual(['Notes']);
    const state = (await self('GET', '/state?document=true')).body.document.tracker.document;
    expect(state).toContainEqual({ project: 'Q1', title: 'Plan', content: 'long' });
    expect(state).toContainEqual({ issue: 'ENG: Fix', title: 'Notes', content: null });
    expect(state).toContainEqual({ cycle: expect.anything(), title: 'Retro', content: null });
    // a cycle that is there already gets what the document adds
    const more = {
      key: 'ENG',
      cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19', documents: [{ title: 'Late' }] }],
    };
    expect((await self('POST', '/seed', { tracker: { teams: [more] } })).status).toBe(200);
    const { tracker: after } = (await self('GET', '/seed')).body;
    expect(titlesOf(after.teams[0].cycles[0].documents)).toEqual(['Late', 'Retro']);
    const again = await makeSandbox(app, { users: ['alice'], tracker: after });
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body.tracker).toEqual(after);
    const wrong = await self('POST', '/seed', { tracker: { documents: [{ title: 'Nowhere' }] } });
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      400,
      expect.stringContaining('tracker.documents[0]: must name exactly one of project, initiative, issue, team'),
    ]);
  });
});
