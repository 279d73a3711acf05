import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

/** docs/reference/tracker.md#ids */
describe('things', () => {
  const app = useApp();

  it('with a slug are found by it, and by the last part of their address, wherever their id is taken', async () => {
    const org = await app.organization();
    const make = async (entity: string, input: string) => {
      const data = await org.data(
        `mutation { made: ${entity}Create(input: { ${input} }) { ${entity} { id slugId url } } }`,
      );
      const { id, slugId, url } = data.made[entity] as { id: string; slugId: string; url: string };
      return { id, names: [slugId, url.split('/').at(-1) as string] };
    };
    const pipeline = await make('releasePipeline', 'name: "The way out"');
    const things = {
      document: await make('document', `title: "How to", teamId: "${org.team.id}"`),
      initiative: await make('initiative', 'name: "Growth"'),
      customer: await make('customer', 'name: "Acme"'),
      release: await make('release', `name: "One", pipelineId: "${pipeline.id}"`),
      releaseNote: await make('releaseNote', `title: "News", pipelineId: "${pipeline.id}"`),
      project: await make('project', `name: "Shop", teamIds: ["${org.team.id}"]`),
      releasePipeline: pipeline,
    };
    for (const [entity, { id, names }] of Object.entries(things)) {
      const name = ['document', 'releaseNote'].includes(entity) ? 'title' : 'name';
      for (const one of names) {
        expect((await org.data(`{ thing: ${entity}(id: "${one}") { id } }`)).thing.id, entity).toBe(id);
        const update = `mutation { done: ${entity}Update(id: "${one}", input: { ${name}: "Anew" }) { success } }`;
        expect((await org.data(update)).done.success).toBe(true);
      }
      // the words of an address may be old ones
      const ended = await org.data(`mutation { done: ${entity}Delete(id: "${names[1]}") { success } }`);
      expect(ended.done.success, entity).toBe(true);
    }
    const view = (
      await org.data('mutation { made: customViewCreate(input: { name: "Mine" }) { customView { id slugId } } }')
    ).made.customView as { id: string; slugId: string };
    expect((await org.data(`{ customView(id: "mine-${view.slugId}") { id } }`)).customView.id).toBe(view.id);
    const deleted = await org.data(`mutation { customViewDelete(id: "${view.slugId}") { entityId } }`);
    expect(deleted.customViewDelete.entityId).toBe(view.id);
  });

  it('take an issue by the identifier that it had in another team', async () => {
    const org = await app.organization();
    const make = builds(org);
    const other = await org.newTeam({ key: 'OPS' });
    const { id, identifier: old } = await make.issue();
    await org.data(`mutation { issueUpdate(id: "${old}", input: { teamId: "${other.id}" }) { success } }`);
    const { identifier: related } = await make.issue();
    const pipeline = (await org.client().createReleasePipeline({ name: 'Out' })).releasePipelineId!;
    const release = (await org.client().createRelease({ pipelineId: pipeline, name: 'One' })).releaseId!;
    const issueId = `issueId: "${old.toLowerCase()}"`;
    const took = async (mutation: string, payload: string) =>
      (await org.data(`mutation { done: ${mutation} { ${payload} } }`)).done;
    const ofIssue = { issue: { id } };
    expect(
      await took(
        `attachmentCreate(input: { ${issueId}, url: "https://x.example/", title: "x" })`,
        'attachment { issue { id } }',
      ),
    ).toEqual({ attachment: ofIssue });
    expect(
      await took(`attachmentLinkURL(${issueId}, url: "https://y.example/")`, 'attachment { issue { id } }'),
    ).toEqual({ attachment: ofIssue });
    expect(
      await took(
        `issueRelationCreate(input: { ${issueId}, relatedIssueId: "${related}", type: related })`,
        'issueRelation { issue { id } }',
      ),
    ).toEqual({ issueRelation: ofIssue });
    expect(await took(`documentCreate(input: { ${issueId}, title: "x" })`, 'document { issue { id } }')).toEqual({
      document: ofIssue,
    });
    expect(await took(`reactionCreate(input: { ${issueId}, emoji: "+1" })`, 'reaction { issue { id } }')).toEqual({
      reaction: ofIssue,
    });
    expect(await took(`favoriteCreate(input: { ${issueId} })`, 'favorite { issue { id } }')).toEqual({
      favorite: ofIssue,
    });
    expect(await took(`commentCreate(input: { ${issueId}, body: "x" })`, 'comment { issue { id } }')).toEqual({
      comment: ofIssue,
    });
    expect(await took(`issueReminder(id: "${old}", reminderAt: "P1D")`, 'issue { id }')).toEqual(ofIssue);
    const link = `${issueId}, releaseId: "${release}"`;
    expect(await took(`issueToReleaseCreate(input: { ${link} })`, 'success')).toEqual({ success: true });
    expect(await took(`issueToReleaseDeleteByIssueAndRelease(${link})`, 'success')).toEqual({ success: true });
  });
});
