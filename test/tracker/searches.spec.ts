import { describe, expect, it } from 'vitest';
import { LinearDocument } from '@linear/sdk';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal, unknownReference } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

const { SemanticSearchResultType } = LinearDocument;

// docs/reference/tracker.md#search
describe('searches', () => {
  const app = useApp();

  it('find projects by name, description and content, names first, with their relations', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const other = await org.newTeam({ name: 'Other', key: 'OTH' });
    const teamIds = [org.team.id];
    const input = { teamIds, leadId: org.user.id };
    const byText = (await (await client.createProject({ ...input, name: 'x', content: 'a ROCKET' })).project)!;
    const byName = (await (await client.createProject({ ...input, teamIds: [other.id], name: 'Rockets' })).project)!;
    const trashed = (await (await client.createProject({ ...input, name: 'rocket' })).project)!;
    await client.deleteProject(trashed.id);
    await client.createProject({ ...input, name: 'none' });
    await make.issue({ projectId: byName.id, team: other });

    const found = await client.searchProjects('rocket');
    expect(found.nodes.map(({ id }) => id)).toEqual([byName.id, byText.id]);
    expect(found.totalCount).toBe(2);
    expect(found.archivePayload).toMatchObject({ totalCount: 0 });
    const [first] = found.nodes;
    expect(first).toMatchObject({ name: 'Rockets', url: byName.url, metadata: {}, state: 'backlog' });
    expect((await first!.lead)?.id).toBe(org.user.id);
    const ofTeam = await client.searchProjects('rocket', { teamId: org.team.id });
    expect(ofTeam.nodes.map(({ id }) => id)).toEqual([byText.id]);
    const archived = await client.searchProjects('rocket', { includeArchived: true });
    expect(archived.nodes.map(({ id }) => id)).toEqual([trashed.id, byName.id, byText.id]);
    expect((await client.searchProjects('%')).nodes).toEqual([]);
    const paged = await client.searchProjects('rocket', { first: 1 });
    const { endCursor, hasNextPage } = paged.pageInfo;
    expect(hasNextPage).toBe(true);
    const rest = await client.searchProjects('rocket', { first: 1, after: endCursor! });
    expect(rest.nodes.map(({ id }) => id)).toEqual([byText.id]);
    expect(await refusal(client.searchProjects('rocket', { teamId: byName.id }))).toEqual(unknownReference('teamId'));
    const { data } = (await client.client.rawRequest(
      '{ searchProjects(term: "rockets") { nodes { issues { nodes { id } } teams { nodes { key } } status { name } } } }',
    )) as { data: { searchProjects: { nodes: object[] } } };
    expect(data.searchProjects.nodes).toEqual([
      { issues: { nodes: [expect.anything()] }, teams: { nodes: [{ key: 'OTH' }] }, status: { name: 'Backlog' } },
    ]);
  });

  it('find documents by title, content and comments, those of a team, and nothing of other organizations', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const issue = await make.issue();
    const project = await make.project({ name: 'Q1' });
    const write = async (fields: object) => (await (await client.createDocument({ title: 'x', ...fields })).document)!;
    const commented = await write({ projectId: project.id });
    const byContent = await write({ issueId: issue.id, content: 'The Plan' });
    const byTitle = await write({ projectId: project.id, title: 'A plan' });
    await client.createComment({ documentContentId: commented.id, body: 'no PLAN?' });
    const foreign = await app.organization();
    await foreign.client().createDocument({ title: 'plan', teamId: foreign.team.id });

    const ids = async (given: object = {}, caller = client) =>
      (await caller.searchDocuments('plan', given)).nodes.map(({ id }) => id);
    expect(await ids()).toEqual([byTitle.id, byContent.id]);
    expect(await ids({ includeComments: true })).toEqual([byTitle.id, byContent.id, commented.id]);
    expect(await ids({ teamId: org.team.id })).toContain(byContent.id);
    const secret = await org.newTeam({ name: 'Secret', key: 'SEC', private: true });
    const hidden = await write({ teamId: secret.id, title: 'secret plan' });
    expect(await ids()).toEqual([hidden.id, byTitle.id, byContent.id]);
    expect(await ids({ teamId: secret.id })).toEqual([hidden.id]);
    const bob = await org.member();
    expect(await ids({}, bob.client())).toEqual([byTitle.id, byContent.id]);
    const [found] = (await client.searchDocuments('a plan')).nodes;
    expect(found).toMatchObject({ title: 'A plan', url: byTitle.url, documentContentId: byTitle.id, metadata: {} });
    expect((await found!.project)?.id).toBe(project.id);
  });

  it('find by words, titles counting most, over all types, and the same each time', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const inBody = await make.issue({ title: 'x', description: 'the login page is slow' });
    const inTitle = await make.issue({ title: 'Slow LOGIN' });
    const project = (await (await client.createProject({ teamIds: [org.team.id], name: 'Login' })).project)!;
    const initiative = (await (await client.createInitiative({ name: 'Speed', description: 'Slow' })).initiative)!;
    const document = (await (
      await client.createDocument({ title: 'Why', content: 'login', projectId: project.id })
    ).document)!;

    const find = async (query: string, given: object = {}) => {
      const { enabled, results } = await client.semanticSearch(query, given);
      expect(enabled).toBe(true);
      return results.map(({ type, id }) => [type, id]);
    };
    const all = [
      ['issue', inTitle.id],
      ['project', project.id],
      ['issue', inBody.id],
      ['document', document.id],
      ['initiative', initiative.id],
    ];
    expect(await find('Is a slow login?')).toEqual(all);
    expect(await find('slow login', { maxResults: 2 })).toEqual(all.slice(0, 2));
    expect(await find('slow login', { types: [SemanticSearchResultType.Document] })).toEqual([
      ['document', document.id],
    ]);
    const filters = { issues: { title: { eq: 'x' } }, projects: { name: { eq: 'none' } } };
    expect(await find('slow login', { filters })).toEqual(all.slice(2));
    expect(await find('a is')).toEqual([]);
    const [best] = (await client.semanticSearch('slow login')).results;
    expect([(await best!.issue)?.title, await best!.project]).toEqual(['Slow LOGIN', undefined]);
    expect(await refusal(client.semanticSearch('x', { maxResults: 101 }))).toEqual(
      invalidArgument('maxResults must not be greater than 100.'),
    );
    await client.archiveIssue(inTitle.id);
    expect(await find('slow login')).toEqual(all.slice(1));
    expect(await find('slow login', { includeArchived: true })).toEqual(all);
    const foreign = await app.organization();
    expect((await foreign.client().semanticSearch('slow login')).results).toEqual([]);
  });
});
