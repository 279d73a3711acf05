import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';
import type { OrganizationBuilder } from '../support/tracker.js';

const { Continuous } = LinearDocument.ReleasePipelineType;
const { Completed, Started } = LinearDocument.ReleaseStageType;

/** A pipeline, its stages by name, and what makes releases of it, each a second after the one before. */
async function pipelineOf(org: OrganizationBuilder, input: object = {}) {
  const client = org.client();
  const pipeline = (await (await client.createReleasePipeline({ name: 'iOS', ...input })).releasePipeline)!;
  const stages = Object.fromEntries((await pipeline.stages()).nodes.map(({ name, id }) => [name, id]));
  const release = async (name: string, more: object = {}) => {
    org.app.clock.advance(1000);
    return (await (
      await client.createRelease({ pipelineId: pipeline.id, name, ...more })
    ).release)!;
  };
  return { client, pipeline, stages, release };
}

describe('releases', () => {
  const app = useApp();

  it('go through the stages of a pipeline, which has one of each type and further started ones', async () => {
    const org = await app.organization();
    const { client, pipeline, stages, release } = await pipelineOf(org, { teamIds: [org.team.id] });
    expect(pipeline).toMatchObject({ type: 'scheduled', isProduction: false, includePathPatterns: [] });
    expect(pipeline.url).toMatch(new RegExp(`/release-pipeline/ios-${pipeline.slugId}$`));
    expect((await client.releasePipeline(pipeline.slugId)).id).toBe(pipeline.id);
    expect(Object.keys(stages)).toEqual(['Planned', 'In Progress', 'Completed', 'Canceled']);
    expect((await pipeline.stages()).nodes.map(({ type }) => type)).toEqual([
      'planned',
      'started',
      'completed',
      'canceled',
    ]);
    expect((await pipeline.teams()).nodes.map(({ id }) => id)).toEqual([org.team.id]);
    expect((await (await client.team(org.team.id)).releasePipelines()).nodes.map(({ id }) => id)).toEqual([
      pipeline.id,
    ]);

    const stage = { pipelineId: pipeline.id, color: '#112233' };
    const refused = async (call: Promise<unknown>) => (await refusal(call))[1];
    const second = client.createReleaseStage({ ...stage, name: 'Done', type: Completed, position: 9 });
    expect(await refused(second)).toContain('has one stage of this type');
    const qa = (await client.createReleaseStage({ ...stage, name: 'QA', type: Started, position: 1.5 }))
      .releaseStageId!;
    expect((await pipeline.stages()).nodes.map(({ name }) => name)[2]).toBe('QA');
    expect(await refused(client.updateReleaseStage(stages['Planned']!, { name: 'x' }))).toContain('only started');
    expect(await refused(client.archiveReleaseStage(stages['Completed']!))).toContain('only started');
    await client.updateReleaseStage(qa, { name: 'Testing', frozen: true });
    expect(await client.releaseStage(qa)).toMatchObject({ name: 'Testing', frozen: true });

    const first = await release('1.0', { version: '1.0' });
    expect(first.stageId).toBe(stages['In Progress']);
    expect(first.startedAt).toEqual(first.createdAt);
    expect(first.startDate).toBe(first.createdAt.toISOString().slice(0, 10));
    expect(first.url).toMatch(new RegExp(`/release/1-0-${first.slugId}$`));
    expect((await client.release(first.slugId)).id).toBe(first.id);
    expect(await refused(client.archiveReleaseStage(stages['In Progress']!))).toContain('has releases');
    await client.archiveReleaseStage(qa);
    expect(await refused(release('x', { stageId: qa }))).toContain('takes no releases');
    await client.unarchiveReleaseStage(qa);
    await client.updateRelease(first.id, { stageId: qa });
    await client.archiveReleaseStage(stages['In Progress']!);
    await client.updateRelease(first.id, { stageId: stages['Canceled']! });
    expect(await refused(client.archiveReleaseStage(qa))).toContain('last started one');
    const canceled = await client.release(first.id);
    expect([canceled.canceledAt, canceled.completedAt]).toEqual([canceled.updatedAt, undefined]);
    const other = await pipelineOf(org, { name: 'Android' });
    expect(await refused(release('y', { stageId: other.stages['Planned'] }))).toContain('Discrepancy');
  });

  it('have a version once in their pipeline, a history, the trash, filters, orders and a search', async () => {
    const org = await app.organization();
    const { client, pipeline, stages, release } = await pipelineOf(org);
    const one = await release('Spring', { version: '1.0', stageId: stages['Planned'], targetDate: '2030-01-01' });
    expect([one.startedAt, one.startDate]).toEqual([undefined, undefined]);
    expect((await one.creator)?.id).toBe(org.user.id);
    const two = await release('Summer', { version: '2.0' });
    expect(await refusal(release('Again', { version: '1.0' }))).toEqual([
      'InvalidInputLinearError',
      expect.stringContaining('The version "1.0" is already in use'),
    ]);
    expect((await refusal(client.updateRelease(two.id, { version: '1.0' })))[1]).toContain('already in use');
    const elsewhere = await pipelineOf(org, { name: 'Android' });
    await elsewhere.release('Spring on Android', { version: '1.0' });

    await client.updateRelease(one.id, { stageId: stages['Completed']!, description: 'Out' });
    const done = await client.release(one.id);
    expect(done.completedAt).toEqual(done.updatedAt);
    expect((await done.history()).nodes.map(({ entries }) => entries)).toEqual([
      [
        { type: 'description', from: null, to: 'Out' },
        { type: 'stageId', from: stages['Planned'], to: stages['Completed'] },
      ],
    ]);
    const names = async (variables: object) => (await client.releases(variables)).nodes.map(({ name }) => name);
    const mine = { pipeline: { id: { eq: pipeline.id } } };
    expect(await names({ filter: mine })).toEqual(['Summer', 'Spring']);
    expect(await names({ filter: { ...mine, stage: { type: { eq: 'completed' } } } })).toEqual(['Spring']);
    expect(await names({ filter: { stage: { type: { nin: ['completed'] } } } })).toEqual([
      'Spring on Android',
      'Summer',
    ]);
    expect(await names({ filter: { completedAt: { null: false } } })).toEqual(['Spring']);
    expect(await names({ filter: { version: { startsWith: '2' } } })).toEqual(['Summer']);
    const up = { order: LinearDocument.PaginationSortOrder.Ascending };
    expect(await names({ filter: mine, sort: [{ stage: up }] })).toEqual(['Summer', 'Spring']);
    const found = async (term: string, more: object = {}) =>
      (await client.releaseSearch({ term, ...more })).map(({ name }) => name);
    expect(await found('sPrInG')).toEqual(['Spring on Android', 'Spring']);
    expect(await found('1.', { filter: mine })).toEqual(['Spring']);
    expect(await found('%')).toEqual([]);

    await client.deleteRelease(two.id);
    expect(await names({ filter: mine })).toEqual(['Spring']);
    expect((await client.release(two.id)).trashed).toBe(true);
    const anew = await release('Summer anew', { version: '2.0' });
    expect((await refusal(client.unarchiveRelease(two.id)))[1]).toContain('already in use');
    await client.archiveRelease(anew.id);
    expect(await names({ filter: mine, includeArchived: true })).toEqual(['Summer anew', 'Summer', 'Spring']);
    await client.updateRelease(anew.id, { version: '2.1' });
    await client.unarchiveRelease(two.id);
    expect((await client.release(two.id)).trashed).toBeUndefined();

    const events = (await org.recorded()).filter(({ kind }) => kind.startsWith('release.')).map(({ kind }) => kind);
    const expected = 'created created created updated removed created updated updated updated'.split(' ');
    expect(events).toEqual(expected.map((ending) => `release.${ending}`));
    const [created] = await org.recorded('release.created');
    expect(created!.data).toMatchObject({
      type: 'Release',
      url: one.url,
      data: {
        name: 'Spring',
        version: '1.0',
        pipeline: { id: pipeline.id, name: 'iOS', type: 'scheduled' },
        stage: { name: 'Planned', type: 'planned' },
        targetDate: '2030-01-01',
      },
    });
    const [moved] = await org.recorded('release.updated');
    expect(moved!.data).toMatchObject({ updatedFrom: { stageId: stages['Planned'], description: null } });
    expect(await refusal((await app.organization()).client().release(one.id))).toEqual(notFound('Release'));
  });

  it('begin completed in a continuous pipeline, and pipelines are found by slugs of their own', async () => {
    const org = await app.organization();
    const { client, pipeline, stages, release } = await pipelineOf(org, { type: Continuous, slugId: 'web-app' });
    expect((await client.releasePipeline('web-app')).id).toBe(pipeline.id);
    expect((await refusal(client.createReleasePipeline({ name: 'x', slugId: 'web-app' })))[1]).toContain('in use');
    expect((await refusal(client.createReleasePipeline({ name: 'x', slugId: 'No!' })))[1]).toContain('must match');
    const out = await release('abc');
    expect([out.stageId, out.completedAt]).toEqual([stages['Completed'], out.createdAt]);
    const pipelines = async (variables: object) =>
      (await client.releasePipelines(variables)).nodes.map(({ name }) => name);
    await client.createReleasePipeline({ name: 'android', isProduction: true });
    const up = { order: LinearDocument.PaginationSortOrder.Ascending };
    expect(await pipelines({ sort: [{ name: up }] })).toEqual(['android', 'iOS']);
    expect(await pipelines({ filter: { type: { eq: 'continuous' } } })).toEqual(['iOS']);
    expect(await pipelines({ filter: { isProduction: { eq: true } } })).toEqual(['android']);
    expect((await client.releasePipeline(pipeline.id)).approximateReleaseCount).toBe(1);
    await client.deleteReleasePipeline(pipeline.id);
    expect(await pipelines({})).toEqual(['android']);
    expect((await refusal(release('late')))[1]).toContain('the pipeline is archived');
    await client.unarchiveReleasePipeline(pipeline.id);
    expect(await pipelines({})).toEqual(['android', 'iOS']);
  });

  it('of a private team are its members’ alone, with all that belongs to them', async () => {
    const org = await app.organization();
    const secret = await org.newTeam({ private: true });
    const { client, pipeline, stages, release } = await pipelineOf(org, { teamIds: [secret.id] });
    const hidden = await release('Hidden', { version: '1' });
    const issue = await builds(org).issue();
    const link = (await client.createIssueToRelease({ issueId: issue.identifier, releaseId: hidden.id }))
      .issueToReleaseId!;
    const bob = (await org.member()).client();
    for (const [name, call] of [
      ['ReleasePipeline', () => bob.releasePipeline(pipeline.id)],
      ['ReleaseStage', () => bob.releaseStage(stages['Planned']!)],
      ['Release', () => bob.release(hidden.id)],
      ['IssueToRelease', () => bob.issueToRelease(link)],
    ] as const)
      expect(await refusal(call())).toEqual(notFound(name));
    expect((await bob.releases()).nodes).toEqual([]);
    expect((await (await bob.issue(issue.id)).releases()).nodes).toEqual([]);
    expect((await refusal(bob.updateIssue(issue.id, { addedReleaseIds: [hidden.id] })))[1]).toContain(
      'addedReleaseIds',
    );
    expect((await refusal(bob.createReleasePipeline({ name: 'x', teamIds: [secret.id] })))[1]).toContain('teamIds');
    // what bob replaces is what bob sees
    await bob.updateIssue(issue.id, { releaseIds: [] });
    expect((await (await client.issue(issue.id)).releases()).nodes.map(({ name }) => name)).toEqual(['Hidden']);
    const roomsOf = async (kind: string) => (await org.recorded(kind)).map(({ room }) => room);
    const members = `org:${org.id}/teams/${secret.id}`;
    expect(await roomsOf('release.created')).toEqual([members]);
    // histories and events of an issue that everybody sees do not name it either
    await client.deleteIssueToRelease(link);
    await client.updateIssue(issue.id, { addedReleaseIds: [hidden.id], title: 'Named' });
    expect(await roomsOf('issueToRelease.created')).toEqual([members, members]);
    expect(await roomsOf('issueToRelease.removed')).toEqual([members]);
    const [named] = await org.recorded('issue.updated');
    expect(named!.data).toMatchObject({ data: { title: 'Named', releases: [] } });
    const entries = async (of: typeof client) =>
      (await (await of.issue(issue.id)).history()).nodes.map(({ addedToReleaseIds, removedFromReleaseIds }) => [
        addedToReleaseIds ?? null,
        removedFromReleaseIds ?? null,
      ]);
    expect(await entries(bob)).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
    expect(await entries(client)).toEqual([
      [[hidden.id], null],
      [null, [hidden.id]],
      [[hidden.id], null],
    ]);
    // a pipeline of a public team as well is everybody's
    await client.updateReleasePipeline(pipeline.id, { teamIds: [secret.id, org.team.id] });
    expect((await bob.releases()).nodes.map(({ name }) => name)).toEqual(['Hidden']);
    await bob.updateReleasePipeline(pipeline.id, { teamIds: [] });
    expect((await pipeline.teams()).nodes.map(({ id }) => id)).toEqual([secret.id]);
  });

  it('have issues, each once, by links and by inputs of issues, which their histories and events tell', async () => {
    const org = await app.organization();
    const { client, release } = await pipelineOf(org);
    const make = builds(org);
    const [one, two] = [await release('b'), await release('A', { version: '2' })];
    const made = (await (
      await client.createIssue({ teamId: org.team.id, title: 'Born', releaseIds: [two.id] })
    ).issue)!;
    expect((await made.history()).nodes).toEqual([]);
    const [told] = await org.recorded('issue.created');
    expect(told!.data).toMatchObject({
      data: { releases: [{ id: two.id, name: 'A', version: '2', stage: { name: 'In Progress' } }] },
    });
    const issue = await make.issue({ title: 'Other' });
    const link = (await (
      await client.createIssueToRelease({ issueId: issue.identifier, releaseId: one.id })
    ).issueToRelease)!;
    expect([(await link.issue)?.id, (await link.release)?.id]).toEqual([issue.id, one.id]);
    const twice = client.createIssueToRelease({ issueId: issue.id, releaseId: one.id });
    expect((await refusal(twice))[1]).toContain('The release "b" is already in use');
    const racing = await Promise.allSettled(
      [1, 2, 3].map(() => client.createIssueToRelease({ issueId: issue.id, releaseId: two.id })),
    );
    expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);

    const releases = async () =>
      (await (await client.issue(issue.id)).releases()).nodes.map(({ name }) => name).toSorted();
    expect(await releases()).toEqual(['A', 'b']);
    await client.updateIssue(issue.id, { removedReleaseIds: [one.id], title: 'Renamed' });
    app.clock.advance(1000);
    const { updatedAt } = await client.issue(issue.id);
    await client.updateIssue(issue.id, { releaseIds: [one.id] });
    expect(await releases()).toEqual(['b']);
    // releases are not the issue's own
    expect((await client.issue(issue.id)).updatedAt).toEqual(updatedAt);
    const { issue: read } = await org.data(
      `query ($id: String!) { issue(id: $id) { history { nodes { addedToReleaseIds removedFromReleaseIds toTitle
        addedToReleases { name } removedFromReleases { name } } } } }`,
      { id: issue.id },
    );
    expect(read.history.nodes.slice(0, 2)).toEqual([
      {
        addedToReleaseIds: [one.id],
        removedFromReleaseIds: [two.id],
        toTitle: null,
        addedToReleases: [{ name: 'b' }],
        removedFromReleases: [{ name: 'A' }],
      },
      {
        addedToReleaseIds: null,
        removedFromReleaseIds: [one.id],
        toTitle: 'Renamed',
        addedToReleases: null,
        removedFromReleases: [{ name: 'b' }],
      },
    ]);
    expect((await one.issues()).nodes.map(({ id }) => id)).toEqual([issue.id]);
    const count = async () =>
      (
        await org.data(
          'query ($id: String!) { release(id: $id) { issueCount all: issueCount(includeArchived: true) } }',
          {
            id: one.id,
          },
        )
      ).release;
    expect(await count()).toEqual({ issueCount: 1, all: 1 });
    await client.archiveIssue(issue.id);
    expect(await count()).toEqual({ issueCount: 0, all: 1 });
    await client.unarchiveIssue(issue.id);

    await client.updateIssueBatch([issue.id, made.id], { addedReleaseIds: [two.id] });
    const titles = async (variables: object) => (await client.issues(variables)).nodes.map(({ title }) => title);
    expect(await titles({ filter: { releases: { some: { version: { eq: '2' } } } } })).toHaveLength(2);
    expect(await titles({ filter: { releases: { length: { eq: 2 } } } })).toEqual(['Renamed']);
    await make.issue({ title: 'None' });
    await client.updateIssue(issue.id, { removedReleaseIds: [two.id] });
    const up = { order: LinearDocument.PaginationSortOrder.Ascending };
    expect(await titles({ sort: [{ release: up }] })).toEqual(['Born', 'Renamed', 'None']);
    const branch = (await client.issueVcsBranchSearch(`fix-${issue.identifier}`))!;
    expect((await branch.releases()).nodes.map(({ name }) => name)).toEqual(['b']);

    expect(await refusal(client.deleteIssueToRelease(link.id))).toEqual(notFound('IssueToRelease'));
    await client.issueToReleaseDeleteByIssueAndRelease(made.identifier, two.id);
    expect(await refusal(client.issueToReleaseDeleteByIssueAndRelease(made.identifier, two.id))).toEqual(
      notFound('IssueToRelease'),
    );
    expect((await client.issueToReleases()).nodes).toHaveLength(1);
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('issueToRelease'));
    expect(kinds.at(-1)).toBe('issueToRelease.removed');
  });

  it('hand their open issues on to the next release when they are completed, if the pipeline says so', async () => {
    const org = await app.organization();
    const { client, pipeline, stages, release } = await pipelineOf(org, { rolloverIssuesOnCompletion: true });
    const make = builds(org);
    const done = await make.state('Done');
    const [open, closed] = [
      await make.issue({ title: 'Open' }),
      await make.issue({ title: 'Closed', stateId: done.id }),
    ];
    const late = await release('3', { stageId: stages['Planned'], targetDate: '2031-01-01' });
    const next = await release('2', { stageId: stages['Planned'], targetDate: '2030-01-01' });
    const current = await release('1', { version: '1' });
    for (const { id: issueId } of [open, closed]) await client.createIssueToRelease({ issueId, releaseId: current.id });
    await client.releaseComplete({ pipelineId: pipeline.id });
    const titles = async ({ id }: { id: string }) =>
      (await (await client.release(id)).issues()).nodes.map(({ title }) => title);
    expect([await titles(current), await titles(next), await titles(late)]).toEqual([['Closed'], ['Open'], []]);
    const [entry] = (await (await client.issue(open.id)).history()).nodes;
    expect([entry!.addedToReleaseIds, entry!.removedFromReleaseIds]).toEqual([[next.id], [current.id]]);
    // without a next one they stay
    await client.releaseComplete({ pipelineId: pipeline.id, version: '1' });
    for (const one of [next, late]) await client.updateRelease(one.id, { stageId: stages['Completed']! });
    expect(await titles(late)).toEqual(['Open']);
    expect(await refusal(client.releaseComplete({ pipelineId: pipeline.id }))).toEqual(notFound('Release'));
  });

  it('have documents, links and notes, which are of a list of releases or of a range', async () => {
    const org = await app.organization();
    const { client, pipeline, release } = await pipelineOf(org);
    const all = [await release('1'), await release('2'), await release('3')];
    const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    const document = (await (await client.createDocument({ title: 'Plan', releaseId: first.id })).document)!;
    expect((await document.release)?.id).toBe(first.id);
    expect((await first.documents()).nodes.map(({ title }) => title)).toEqual(['Plan']);
    const filtered = { release: { name: { eq: '1' } } };
    expect((await client.documents({ filter: filtered })).nodes.map(({ title }) => title)).toEqual(['Plan']);
    await client.createComment({ documentContentId: document.documentContentId!, body: 'Good' });
    await client.createEntityExternalLink({ label: 'Build', url: 'https://ci.example/1', releaseId: first.id });
    expect((await first.links()).nodes.map(({ label }) => label)).toEqual(['Build']);

    const note = async (input: object) => {
      app.clock.advance(1000);
      return (await (
        await client.createReleaseNote({ pipelineId: pipeline.id, ...input })
      ).releaseNote)!;
    };
    const listed = await note({ title: 'News', content: 'Fast', releaseIds: [third.id, first.id] });
    expect(listed.url).toMatch(new RegExp(`/release-note/news-${listed.slugId}$`));
    const { releaseNote: read } = await org.data(
      `query ($id: String!) { releaseNote(id: $id) { releaseCount documentContent { content } releases { name }
        firstRelease { name } lastRelease { name } } }`,
      { id: listed.slugId },
    );
    expect(read).toEqual({
      releaseCount: 2,
      documentContent: { content: 'Fast' },
      releases: [{ name: '1' }, { name: '3' }],
      firstRelease: { name: '1' },
      lastRelease: { name: '3' },
    });
    const ranged = await note({ rangeFromReleaseId: second.id, rangeToReleaseId: third.id });
    expect(ranged.releaseCount).toBe(2);
    expect((await (await client.releasePipeline(pipeline.id)).latestReleaseNote)?.id).toBe(ranged.id);
    expect((await client.release(third.id)).releaseNotes.map(({ id }) => id)).toEqual([ranged.id, listed.id]);
    const elsewhere = await pipelineOf(org, { name: 'Android' });
    const foreign = note({ releaseIds: [(await elsewhere.release('x')).id] });
    expect((await refusal(foreign))[1]).toContain('releaseIds');
    await client.updateReleaseNote(ranged.id, { title: 'Range', releaseIds: [second.id] });
    const ids = async (filter: object) => (await client.releaseNotes({ filter })).nodes.map(({ id }) => id);
    expect(await ids({ release: { name: { eq: '3' } } })).toEqual([listed.id]);
    expect(await ids({ title: { eq: 'Range' } })).toEqual([ranged.id]);
    const named = async (filter: object) => (await client.releases({ filter })).nodes.map(({ name }) => name);
    expect(await named({ hasReleaseNotes: { eq: true } })).toEqual(['3', '2', '1']);
    await client.deleteReleaseNote(ranged.id);
    expect(await named({ hasReleaseNotes: { eq: false } })).toEqual(['x', '2']);
    const [, updated] = [await org.recorded('releaseNote.created'), await org.recorded('releaseNote.updated')];
    expect(updated[0]!.data).toMatchObject({
      type: 'ReleaseNote',
      data: { title: 'Range', releaseIds: [second.id], lastReleaseId: second.id, pipeline: { id: pipeline.id } },
      updatedFrom: { title: null, releaseIds: [second.id, third.id] },
    });
    expect(await org.recorded('releaseNote.removed')).toHaveLength(1);
  });
});
