import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { OrganizationBuilder } from '../support/tracker.js';

/** A creation: its mutation, what its input's type takes, and the key of the payload. */
const create = async (org: OrganizationBuilder, entity: string, input: string, key = entity): Promise<string> => {
  const data = await org.data(`mutation { made: ${entity}Create(input: { ${input} }) { ${key} { id } } }`);
  return data.made[key].id as string;
};

/** One of each kind of thing in a private team, by the root field that reads it, and two things that all see. */
async function hiddenThings(org: OrganizationBuilder) {
  const make = builds(org);
  const team = await org.newTeam({ key: 'SEC', private: true });
  const issue = await make.issue({ team, title: 'Hidden' });
  const open = await make.issue({ title: 'Open' });
  const project = await make.project({ name: 'Hidden', teams: [team] });
  const cycle = await create(org, 'cycle', `teamId: "${team.id}", startsAt: "P1D", endsAt: "P8D"`);
  const pipeline = await create(org, 'releasePipeline', `name: "Hidden", teamIds: ["${team.id}"]`);
  const release = await create(org, 'release', `name: "Hidden", pipelineId: "${pipeline}"`);
  const initiative = await create(org, 'initiative', 'name: "Open"');
  const customer = await create(org, 'customer', 'name: "Open"');
  const update = await create(org, 'projectUpdate', `projectId: "${project.id}", body: "Hidden"`);
  const document = await create(org, 'document', `teamId: "${team.id}", title: "Hidden"`);
  const places = [
    `issueId: "${issue.id}"`,
    `projectId: "${project.id}"`,
    `cycleId: "${cycle}"`,
    `releaseId: "${release}"`,
  ];
  const documents = [document];
  for (const place of places) documents.push(await create(org, 'document', `${place}, title: "Hidden"`));
  const comments = [];
  for (const place of [`issueId: "${issue.id}"`, `documentContentId: "${document}"`, `projectUpdateId: "${update}"`])
    comments.push(await create(org, 'comment', `${place}, body: "Hidden"`));
  const things: Record<string, string[]> = {
    issue: [issue.id],
    project: [project.id],
    cycle: [cycle],
    releasePipeline: [pipeline],
    release: [release],
    projectUpdate: [update],
    document: documents,
    comment: comments,
    attachment: [
      await create(org, 'attachment', `issueId: "${issue.id}", url: "https://hidden.example/", title: "Hidden"`),
    ],
    projectMilestone: [await create(org, 'projectMilestone', `projectId: "${project.id}", name: "Hidden"`)],
    entityExternalLink: [
      await create(org, 'entityExternalLink', `teamId: "${team.id}", label: "Hidden", url: "https://hidden.example/"`),
    ],
    customView: [await create(org, 'customView', `teamId: "${team.id}", name: "Hidden", shared: true`)],
    template: [
      await create(org, 'template', `teamId: "${team.id}", name: "Hidden", type: "issue", templateData: "{}"`),
    ],
    projectLabel: [await create(org, 'projectLabel', `teamId: "${team.id}", name: "Hidden"`)],
    releaseNote: [await create(org, 'releaseNote', `pipelineId: "${pipeline}", title: "Hidden"`)],
    issueToRelease: [await create(org, 'issueToRelease', `issueId: "${open.id}", releaseId: "${release}"`)],
    issueRelation: [
      await create(org, 'issueRelation', `issueId: "${open.id}", relatedIssueId: "${issue.id}", type: blocks`),
    ],
    customerNeed: [
      await create(org, 'customerNeed', `customerId: "${customer}", issueId: "${issue.id}", body: "Hidden"`, 'need'),
    ],
    initiativeToProject: [
      await create(org, 'initiativeToProject', `initiativeId: "${initiative}", projectId: "${project.id}"`),
    ],
  };
  return { things, open, initiative, customer };
}

/** docs/reference/tracker.md#access */
describe('the things of a private team', () => {
  const app = useApp();

  it('are not there for others, to read, to change, to name or to find', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const { things, open, initiative, customer } = await hiddenThings(org);
    for (const [entity, ids] of Object.entries(things)) {
      const type = entity.charAt(0).toUpperCase() + entity.slice(1);
      for (const id of ids) {
        expect((await org.data(`{ thing: ${entity}(id: "${id}") { id } }`)).thing.id, entity).toBe(id);
        const read = await bob.error(`{ ${entity}(id: "${id}") { id } }`);
        expect(read.message).toBe(`Entity not found: ${type}`);
        const ending = ['projectUpdate', 'cycle'].includes(entity) ? 'Archive' : 'Delete';
        const ended = await bob.error(`mutation { ${entity}${ending}(id: "${id}") { success } }`);
        expect(ended.message).toBe(`Entity not found: ${type}`);
      }
    }
    const named = async (mutation: string) => (await bob.error(`mutation { ${mutation} { success } }`)).message;
    const first = (entity: string) => things[entity]?.[0] as string;
    const unknown = (field: string) => `Entity not found in validateAccess: ${field}`;
    expect(await named(`favoriteCreate(input: { documentId: "${first('document')}" })`)).toBe(unknown('documentId'));
    expect(await named(`reactionCreate(input: { commentId: "${first('comment')}", emoji: "+1" })`)).toBe(
      unknown('commentId'),
    );
    expect(await named(`issueUpdate(id: "${open.id}", input: { addedReleaseIds: ["${first('release')}"] })`)).toBe(
      unknown('addedReleaseIds'),
    );
    expect(await named(`issueReminder(id: "SEC-1", reminderAt: "P1D")`)).toBe('Entity not found: Issue');

    const lists = `{ documents { nodes { id } } attachments { nodes { id } } projectMilestones { nodes { id } }
      projectUpdates { nodes { id } } customViews { nodes { id } } comments { nodes { id } } projectLabels { nodes { id } }
      releasePipelines { nodes { id } } releases { nodes { id } } releaseStages { nodes { id } } releaseNotes { nodes { id } }
      issueRelations { nodes { id } } issueToReleases { nodes { id } } customerNeeds { nodes { id } }
      initiativeToProjects { nodes { id } } projects { nodes { id } } cycles { nodes { id } }
      attachmentsForURL(url: "https://hidden.example/") { nodes { id } }
      searchDocuments(term: "hidden") { nodes { id } } searchProjects(term: "hidden") { nodes { id } } }`;
    const counts = (data: Record<string, { nodes: unknown[] }>) =>
      Object.fromEntries(Object.entries(data).map(([name, { nodes }]) => [name, nodes.length]));
    const [seen, unseen] = [counts(await org.data(lists)), counts(await bob.data(lists))];
    for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
    expect(unseen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, 0])));
    const plain = `{ templates { id } releaseSearch { id } semanticSearch(query: "hidden") { results { id } } }`;
    expect(await bob.data(plain)).toEqual({ templates: [], releaseSearch: [], semanticSearch: { results: [] } });

    const below = `{ issue(id: "${open.id}") { relations { nodes { id } } releases { nodes { id } } }
      initiative(id: "${initiative}") { projects { nodes { id } } } customer(id: "${customer}") { needs { id } } }`;
    expect(await bob.data(below)).toEqual({
      issue: { relations: { nodes: [] }, releases: { nodes: [] } },
      initiative: { projects: { nodes: [] } },
      customer: { needs: [] },
    });
  });
});
