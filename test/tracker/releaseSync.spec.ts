import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

const { Continuous } = LinearDocument.ReleasePipelineType;
const { Started } = LinearDocument.ReleaseStageType;
const SHA = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';

describe('releaseSync', () => {
  const app = useApp();

  it('makes completed releases of a continuous pipeline, and updates them by version or commit', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const pipelineId = (await client.createReleasePipeline({ name: 'Web', type: Continuous })).releasePipelineId!;
    const [one, two, three] = [await make.issue(), await make.issue(), await make.issue()];
    const url = 'https://github.com/Acme/Web/pull/12';
    await client.attachmentLinkGitHubPR(three.id, url);
    const sync = async (input: object) => {
      app.clock.advance(1000);
      return (await (
        await client.releaseSync({ pipelineId, commitSha: SHA, ...input })
      ).release)!;
    };
    const commit = (identifier: string) => ({ identifier, commitSha: SHA });
    const first = await sync({
      issueReferences: [commit(one.identifier.toLowerCase()), commit(two.identifier), commit('NOPE-1')],
      pullRequestReferences: [{ repositoryOwner: 'acme', repositoryName: 'web', number: 12 }],
      documents: [{ title: 'Log', content: 'a' }],
      links: [{ url: 'https://ci.example/1' }],
      releaseNotes: { content: 'Faster' },
      repository: { owner: 'acme', name: 'web', provider: 'github', url: 'https://github.com/acme/web' },
      debugSink: { inspectedShas: [SHA], issues: {}, pullRequests: [] },
    });
    expect(first).toMatchObject({ name: '0123456', version: '0123456', commitSha: SHA });
    expect((await first.stage)?.name).toBe('Completed');
    const inRelease = async () => (await first.issues()).nodes.map(({ id }) => id).toSorted();
    expect(await inRelease()).toEqual([one.id, two.id, three.id].toSorted());
    const again = await sync({
      name: 'Named',
      revertedIssueReferences: [commit(two.identifier)],
      issueReferences: [commit(one.identifier), commit(two.identifier)],
      documents: [
        { title: 'Log', content: 'b' },
        { title: 'Plan', content: 'c' },
      ],
      links: [{ url: 'https://ci.example/1', label: 'Build' }, { url: 'https://ci.example/2' }],
      releaseNotes: { title: 'News', content: 'Fastest' },
    });
    expect([again.id, again.name]).toEqual([first.id, 'Named']);
    expect(await inRelease()).toEqual([one.id, three.id].toSorted());
    const documents = (await first.documents()).nodes.map(({ title, content }) => [title, content]);
    expect(documents.toSorted()).toEqual([
      ['Log', 'b'],
      ['Plan', 'c'],
    ]);
    const links = (await first.links()).nodes.map(({ label }) => label);
    expect(links.toSorted()).toEqual(['Build', 'https://ci.example/2']);
    const [note, ...others] = (await client.release(first.id)).releaseNotes;
    expect([note!.title, note!.documentContent?.content, others]).toEqual(['News', 'Fastest', []]);
    expect((await sync({ commitSha: OTHER, version: '0123456', preserveStoredCommitSha: true })).commitSha).toBe(SHA);
    expect((await sync({ commitSha: OTHER, version: '0123456' })).id).toBe(first.id);
    expect((await sync({ commitSha: SHA, version: '2.0' })).id).not.toBe(first.id);
    const [entry] = (await (await client.issue(two.id)).history()).nodes;
    expect(entry!.removedFromReleaseIds).toEqual([first.id]);

    const racing = await Promise.all([1, 2, 3].map(() => sync({ commitSha: 'aaaaaaaaaa', version: 'raced' })));
    expect(new Set(racing.map(({ id }) => id)).size).toBe(1);
    const bad = client.releaseSync({ pipelineId, commitSha: SHA, links: [{ url: 'ftp://x' }] });
    expect((await refusal(bad))[1]).toContain('url must be a URL address');
    const unknown = client.releaseSync({ pipelineId: first.id, commitSha: SHA });
    expect(await refusal(unknown)).toEqual(unknownReference('pipelineId'));
  });

  it('finds the release of a scheduled pipeline by version, else the newest started one, and leaves frozen ones', async () => {
    const org = await app.organization();
    const client = org.client();
    const issue = await builds(org).issue();
    const pipelineId = (await client.createReleasePipeline({ name: 'iOS' })).releasePipelineId!;
    const sync = async (input: object = {}) => {
      app.clock.advance(1000);
      return (await (
        await client.releaseSync({ pipelineId, commitSha: SHA, ...input })
      ).release)!;
    };
    const first = await sync();
    expect([first.name, first.version, (await first.stage)?.name]).toEqual(['0123456', undefined, 'In Progress']);
    expect((await sync({ commitSha: OTHER })).id).toBe(first.id);
    const versioned = await sync({ version: '1.1' });
    expect([versioned.name, versioned.version]).toEqual(['1.1', '1.1']);
    expect((await sync({ name: 'Next' })).id).toBe(versioned.id);
    const stage = { pipelineId, name: 'Code Freeze', color: '#112233', type: Started, position: 1.5 };
    const frozen = (await client.createReleaseStage({ ...stage, frozen: true })).releaseStageId!;

    const byPipeline = async (input: object) => {
      return (await (
        await client.releaseUpdateByPipeline({ pipelineId, ...input })
      ).release)!;
    };
    const moved = await byPipeline({ stage: 'code-FREEZE', description: 'Hands off' });
    expect([moved.id, moved.stageId, moved.description]).toEqual([versioned.id, frozen, 'Hands off']);
    const references = { issueReferences: [{ identifier: issue.identifier, commitSha: SHA }] };
    const left = await sync({
      version: '1.1',
      name: 'Changed',
      ...references,
      documents: [{ title: 'x', content: '' }],
    });
    expect([left.id, left.name]).toEqual([versioned.id, 'Next']);
    expect([(await left.issues()).nodes, (await left.documents()).nodes]).toEqual([[], []]);
    expect((await sync(references)).id).toBe(first.id);
    expect((await refusal(byPipeline({ stage: 'Nowhere' })))[1]).toContain('no stage "Nowhere"');
    expect(await refusal(byPipeline({ version: '9' }))).toEqual(notFound('Release'));

    const done = (await (await client.releaseComplete({ pipelineId, version: '1.1', commitSha: OTHER })).release)!;
    expect([done.commitSha, done.completedAt]).toEqual([OTHER, done.updatedAt]);
    const next = (await (await client.releaseComplete({ pipelineId, releaseNotes: { content: 'All' } })).release)!;
    expect(next.id).toBe(first.id);
    expect((await client.release(first.id)).releaseNotes).toHaveLength(1);
    expect(await refusal(client.releaseComplete({ pipelineId }))).toEqual(notFound('Release'));
  });
});
