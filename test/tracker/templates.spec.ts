import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { brokenRule, invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const anId = '11111111-1111-4111-8111-111111111111';

// docs/reference/tracker.md#template
describe('templates', () => {
  const app = useApp();

  it('are made with an object or its text, listed by their order, changed and deleted', async () => {
    const org = await app.organization();
    const client = org.client();
    const bob = await org.member();
    const first = (await (
      await client.createTemplate({ name: 'Bug', type: 'issue', templateData: { priority: 2 } as never })
    ).template)!;
    expect(first).toMatchObject({ name: 'Bug', type: 'issue', sortOrder: 0, templateData: { priority: 2 } });
    expect([(await first.creator)?.id, (await first.lastUpdatedBy)?.id, (await first.organization).id]).toEqual([
      org.user.id,
      org.user.id,
      org.id,
    ]);
    const ofTeam = (await (
      await client.createTemplate({
        name: 'Q',
        type: 'project',
        templateData: JSON.stringify({ priority: 1 }) as never,
        teamId: org.team.id,
      })
    ).template)!;
    expect([ofTeam.templateData, ofTeam.sortOrder, (await ofTeam.team)?.id]).toEqual([
      { priority: 1 },
      100,
      org.team.id,
    ]);
    const { templates } = await org.data('{ templates { name templateData } }');
    expect(templates).toEqual([
      { name: 'Bug', templateData: '{"priority":2}' },
      { name: 'Q', templateData: '{"priority":1}' },
    ]);
    await bob.client().updateTemplate(first.id, { sortOrder: 200, name: 'Defect', templateData: {} as never });
    expect((await client.templates).map(({ name }) => name)).toEqual(['Q', 'Defect']);
    const changed = await client.template(first.id);
    expect([changed.templateData, (await changed.lastUpdatedBy)?.id]).toEqual([{}, bob.user.id]);
    expect((await client.templateSearch({ filter: { type: { eq: 'issue' } } })).map(({ name }) => name)).toEqual([
      'Defect',
    ]);
    expect((await client.templateSearch({ first: 1 })).map(({ name }) => name)).toEqual(['Q']);
    expect(
      (await client.templateSearch({ filter: { inheritedFromId: { eq: anId } } })).map(({ name }) => name),
    ).toEqual([]);
    const team = await client.team(org.team.id);
    expect((await team.templates()).nodes.map(({ name }) => name)).toEqual(['Q']);
    expect((await (await client.organization).templates()).nodes.map(({ name }) => name)).toEqual(['Defect']);
    await client.deleteTemplate(first.id);
    expect(await refusal(client.template(first.id))).toEqual(notFound('Template'));
    const kinds = ['created', 'updated', 'removed'].map(
      async (kind) => (await org.recorded(`template.${kind}`)).length,
    );
    expect(await Promise.all(kinds)).toEqual([2, 1, 1]);
    expect(isFiring('Template')).toBe(false);
  });

  it('refuse names over 255 characters, data over 32 KiB or that are no object, and unknown things', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = (input: object) =>
      refusal(client.createTemplate({ name: 'T', type: 'issue', templateData: {} as never, ...input }));
    expect(await make({ name: 'x'.repeat(256) })).toEqual(
      invalidArgument('name must be shorter than or equal to 255 characters.'),
    );
    expect(await make({ templateData: { a: 'x'.repeat(33_000) } })).toEqual(
      invalidArgument('templateData must be no more than 32768 bytes of JSON.'),
    );
    expect(await make({ templateData: [1] })).toEqual(invalidArgument('templateData must be an object.'));
    expect(await make({ templateData: 'no JSON' })).toEqual(invalidArgument('templateData must be JSON.'));
    const { extensions } = await org.error(
      'mutation { templateCreate(input: { name: "T", type: "issue", templateData: "{" }) { success } }',
    );
    expect(extensions).toMatchObject({
      code: 'INVALID_INPUT',
      validationErrors: [{ property: 'templateData', constraints: { isJson: 'templateData must be JSON' } }],
    });
    const upload = 'contentType: "text/plain", filename: "a.txt", size: 1, metaData: "{"';
    const refused = await org.error(`mutation { fileUpload(${upload}) { success } }`);
    expect(refused.extensions['userPresentableMessage']).toBe('metaData must be JSON.');
    expect(await make({ teamId: anId })).toEqual(unknownReference('teamId'));
    expect(await make({ pipelineId: anId })).toEqual(unknownReference('pipelineId'));
  });

  it('of a private team are there for its members alone', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const client = org.client();
    const teamId = (await client.createTeam({ name: 'Secret', private: true })).teamId!;
    const id = (await client.createTemplate({ name: 'S', type: 'issue', templateData: {} as never, teamId }))
      .templateId!;
    expect(await refusal(bob.client().template(id))).toEqual(notFound('Template'));
    expect(await bob.client().templates).toEqual([]);
    expect(await client.templates).toHaveLength(1);
    const input = { teamId: org.team.id, title: 'x', templateId: id };
    expect(await refusal(bob.client().createIssue(input))).toEqual(unknownReference('templateId'));
  });

  it('fill what issueCreate leaves out, without other keys, values that do not fit and things that are gone', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const label = await make.label();
    const state = await make.state('In Progress');
    const templateData = {
      title: 'From the template',
      description: 'Steps',
      priority: 1,
      estimate: 'much',
      dueDate: '2026-03-01',
      stateId: state.id,
      labelIds: [label.id, anId],
      assigneeId: anId,
      projectId: anId,
      cycleId: 7,
      parentId: anId,
      descriptionData: { type: 'doc' },
      teamId: anId,
      id: anId,
    };
    const { templateId } = await client.createTemplate({
      name: 'Bug',
      type: 'issue',
      templateData: templateData as never,
    });
    const issue = (await (
      await client.createIssue({ teamId: org.team.id, templateId: templateId!, priority: 3 })
    ).issue)!;
    expect(issue).toMatchObject({
      title: 'From the template',
      description: 'Steps',
      priority: 3,
      dueDate: '2026-03-01',
      labelIds: [label.id],
      assigneeId: undefined,
      projectId: undefined,
      parentId: undefined,
      stateId: state.id,
    });
    expect(issue.id).not.toBe(anId);
    expect((await issue.lastAppliedTemplate)?.id).toBe(templateId);
    const template = await client.template(templateId!);
    expect(template.lastAppliedAt).toEqual(issue.createdAt);
    const [created] = await org.recorded('issue.created');
    expect(created!.data).toMatchObject({ data: { lastAppliedTemplateId: templateId } });
    const filter = { lastAppliedTemplate: { name: { eq: 'Bug' } } };
    expect((await client.issues({ filter })).nodes.map(({ id }) => id)).toEqual([issue.id]);
    expect((await client.issues({ filter: { lastAppliedTemplate: { null: true } } })).nodes).toEqual([]);
    await client.deleteTemplate(templateId!);
    expect(await (await client.issue(issue.id)).lastAppliedTemplate).toBeUndefined();
  });

  it('are applied in batches, each to its own issue', async () => {
    const org = await app.organization();
    const client = org.client();
    const data = { title: 'Filled', priority: 2 } as never;
    const { templateId } = await client.createTemplate({ name: 'Bug', type: 'issue', templateData: data });
    const teamId = org.team.id;
    const { issues } = await org
      .data(
        `mutation ($issues: [IssueCreateInput!]!) { issueBatchCreate(input: { issues: $issues }) { issues {
        title priority lastAppliedTemplate { name } } } }`,
        {
          issues: [
            { teamId, templateId },
            { teamId, title: 'Own', templateId },
            { teamId, title: 'Plain' },
          ],
        },
      )
      .then(({ issueBatchCreate }) => issueBatchCreate);
    expect(issues).toEqual([
      { title: 'Filled', priority: 2, lastAppliedTemplate: { name: 'Bug' } },
      { title: 'Own', priority: 2, lastAppliedTemplate: { name: 'Bug' } },
      { title: 'Plain', priority: 0, lastAppliedTemplate: null },
    ]);
  });

  it('of another team, of other things and without a title are refused', async () => {
    const org = await app.organization();
    const client = org.client();
    const other = (await client.createTeam({ name: 'Other' })).teamId!;
    const make = async (input: object) =>
      (await client.createTemplate({ name: 'T', type: 'issue', templateData: {} as never, ...input })).templateId!;
    const create = (templateId: string, more: object = { title: 'x' }) =>
      refusal(client.createIssue({ teamId: org.team.id, templateId, ...more }));
    const elsewhere = await make({ teamId: other });
    expect(await create(elsewhere)).toEqual(brokenRule('Discrepancy between issue team and template.'));
    const { extensions } = await org.error(
      'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }',
      { input: { teamId: org.team.id, title: 'x', templateId: elsewhere } },
    );
    expect(extensions['code']).toBe('INVALID_INPUT');
    const ofProjects = await make({ type: 'project', teamId: other });
    const project = { name: 'Q1', teamIds: [org.team.id], templateId: ofProjects };
    expect(await refusal(client.createProject(project))).toEqual(
      brokenRule('Discrepancy between project team and template.'),
    );
    expect(await create(await make({ type: 'project' }))).toEqual(
      brokenRule('templateId of another type', "The template 'T' is not one of issues."),
    );
    expect(await create(anId)).toEqual(unknownReference('templateId'));
    const blank = invalidArgument('title should not be empty.');
    expect(await create(await make({}), {})).toEqual(blank);
    expect(await refusal(client.createIssue({ teamId: org.team.id, useDefaultTemplate: true }))).toEqual(blank);
    expect(await refusal(client.createIssue({ teamId: org.team.id }))).toEqual(blank);
    const last = { teamId: org.team.id, title: 'x', lastAppliedTemplateId: anId };
    expect(await refusal(client.createIssue(last))).toEqual(unknownReference('lastAppliedTemplateId'));
  });

  it('a team has as defaults are applied when they are asked for', async () => {
    const org = await app.organization();
    const client = org.client();
    const data = { title: 'Default', priority: 4 } as never;
    const template = async (type: string, templateData = data, teamId?: string) =>
      (await client.createTemplate({ name: type, type, templateData, teamId })).templateId!;
    const forIssues = await template('issue');
    const forProjects = await template('project', { description: 'Shape it', priority: 2, leadId: anId } as never);
    await client.updateTeam(org.team.id, {
      defaultTemplateForMembersId: forIssues,
      defaultTemplateForNonMembersId: forIssues,
      defaultProjectTemplateId: forProjects,
    });
    const team = await client.team(org.team.id);
    expect([
      (await team.defaultTemplateForMembers)?.id,
      (await team.defaultTemplateForNonMembers)?.id,
      (await team.defaultProjectTemplate)?.id,
    ]).toEqual([forIssues, forIssues, forProjects]);
    const issue = (await (await client.createIssue({ teamId: org.team.id, useDefaultTemplate: true })).issue)!;
    expect([issue.title, issue.priority, (await issue.lastAppliedTemplate)?.id]).toEqual(['Default', 4, forIssues]);
    const plain = (await (await client.createIssue({ teamId: org.team.id, title: 'Plain' })).issue)!;
    expect([plain.priority, await plain.lastAppliedTemplate]).toEqual([0, undefined]);
    const input = { name: 'Q1', teamIds: [org.team.id] };
    const project = (await (await client.createProject({ ...input, useDefaultTemplate: true })).project)!;
    expect([project.description, project.priority, await project.lead]).toEqual(['Shape it', 2, undefined]);
    expect((await project.lastAppliedTemplate)?.id).toBe(forProjects);
    const own = (await (await client.createProject({ ...input, templateId: forProjects, priority: 1 })).project)!;
    expect([own.description, own.priority]).toEqual(['Shape it', 1]);
    const asked = { filter: { lastAppliedTemplate: { id: { eq: forProjects } } } };
    expect((await client.projects(asked)).nodes).toHaveLength(2);
    await client.updateIssue(plain.id, { lastAppliedTemplateId: forIssues });
    expect((await (await client.issue(plain.id)).lastAppliedTemplate)?.id).toBe(forIssues);
    const other = (await client.createTeam({ name: 'Other' })).teamId!;
    const elsewhere = await template('issue', data, other);
    expect(await refusal(client.updateTeam(org.team.id, { defaultTemplateForMembersId: elsewhere }))).toEqual(
      brokenRule('Discrepancy between issue team and template.'),
    );
  });

  it('come with seed documents, which export says again', async () => {
    const templates = [{ name: 'Bug', type: 'issue', template_data: { priority: 1 }, as: 'admin' }];
    const seed = {
      users: ['alice'],
      tracker: {
        teams: [
          {
            key: 'ENG',
            templates: [{ name: 'Chore', type: 'issue', template_data: { priority: 4 }, as: 'alice' }],
            issues: [
              { title: 'One', template: 'Bug' },
              { title: 'Two', template: 'Chore' },
            ],
          },
        ],
        templates,
        documents: [{ title: 'Why', team: 'ENG', template: 'Bug' }],
      },
    };
    const { ctl } = await makeSandbox(app, seed);
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    expect(body.tracker.templates).toEqual(templates);
    expect(body.tracker.teams[0].templates).toEqual([
      { name: 'Chore', type: 'issue', template_data: { priority: 4 }, as: 'alice' },
    ]);
    expect(body.tracker.teams[0].issues).toMatchObject([
      { title: 'One', template: 'Bug' },
      { title: 'Two', template: 'Chore' },
    ]);
    expect(body.tracker.documents ?? body.tracker.teams[0].documents).toMatchObject([{ template: 'Bug' }]);
    const refused = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, {
      tracker: { teams: [{ key: 'ENG', issues: [{ title: 'x', template: 'None' }] }] },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('tracker.teams[0].issues[0].template'),
    ]);
  });
});
