import { LinearClient } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { useApp } from '../support/app.js';
import { refusal } from '../support/refusal.js';
import { callRest } from '../support/rest-call.js';
import { makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';
import { postGraphql } from '../support/tracker.js';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const TOKEN = /^svc_rel_[A-Za-z0-9]{40}$/;
const FORBIDDEN = ['ForbiddenLinearError', expect.stringContaining('Forbidden')];

// docs/reference/tracker.md#release-access-keys
describe('keys of release pipelines', () => {
  const app = useApp();
  const rest = (method: string, path: string, options?: Parameters<typeof callRest>[3]) =>
    callRest(app, method, `/api/release-access-keys${path}`, options);
  const clientOf = (apiKey: string) => new LinearClient({ apiKey, apiUrl: `${app.baseUrl}/graphql` });

  it('sync, complete and read releases of their pipeline as its tools do, without being anybody', async () => {
    const org = await app.organization();
    const client = org.client();
    const issue = await builds(org).issue();
    const pipelineId = (await client.createReleasePipeline({ name: 'iOS', includePathPatterns: ['ios/**'] }))
      .releasePipelineId!;
    const other = (await client.createReleasePipeline({ name: 'Web' })).releasePipelineId!;
    await client.createRelease({ pipelineId: other, name: 'elsewhere' });
    const made = await rest('POST', '', { token: await org.accessToken(), body: { pipelineId, label: 'ci' } });
    expect(made.status).toBe(201);
    const key = clientOf(String(made.body['token']));

    const pipeline = await key.releasePipelineByAccessKey;
    expect([pipeline.id, pipeline.includePathPatterns]).toEqual([pipelineId, ['ios/**']]);
    expect(await key.latestReleaseByAccessKey).toBeFalsy();
    const references = { issueReferences: [{ identifier: issue.identifier, commitSha: SHA }] };
    const synced = await key.releaseSyncByAccessKey({ commitSha: SHA, version: '1.0', ...references });
    expect(synced.success).toBe(true);
    // what the payload of the client shows is the latest one
    const shown = (await synced.release)!;
    expect(shown).toMatchObject({ version: '1.0', commitSha: SHA });
    expect((await shown.stage)?.name).toBe('In Progress');
    const release = await client.release(shown.id);
    expect([release.url, await release.creator]).toEqual([shown.url, undefined]);
    expect((await release.issues()).nodes.map(({ id }) => id)).toEqual([issue.id]);
    await key.releaseUpdateByPipelineByAccessKey({ stage: 'planned' });
    expect((await (await client.release(release.id)).stage)?.name).toBe('Planned');
    const done = await key.releaseCompleteByAccessKey({ version: '1.0' });
    expect((await done.release)?.completedAt).toBeInstanceOf(Date);
    app.clock.advance(1000);
    await key.releaseSyncByAccessKey({ commitSha: SHA, version: '1.1' });
    expect((await key.latestReleaseByAccessKey)?.version).toBe('1.1');
    expect((await key.recentReleasesByAccessKey()).map(({ version }) => version)).toEqual(['1.1', '1.0']);
    expect(await key.recentReleasesByAccessKey({ limit: 1 })).toHaveLength(1);
    expect((await refusal(key.recentReleasesByAccessKey({ limit: 0 })))[1]).toContain('limit must not be less than 1');
  });

  it('open nothing else, and nobody else opens what they open', async () => {
    const org = await app.organization();
    const pipelineId = (await org.client().createReleasePipeline({ name: 'iOS' })).releasePipelineId!;
    const made = await rest('POST', '', { token: await org.accessToken(), body: { pipelineId } });
    const token = String(made.body['token']);
    const key = clientOf(token);
    for (const call of [() => key.viewer, () => key.releases(), () => key.releaseSync({ pipelineId, commitSha: SHA })])
      expect(await refusal(call())).toEqual(FORBIDDEN);
    expect(await refusal(org.client().releasePipelineByAccessKey)).toEqual(FORBIDDEN);
    expect(await refusal(org.client().releaseSyncByAccessKey({ commitSha: SHA }))).toEqual(FORBIDDEN);
    const ask = (query: string, authorization = token) =>
      postGraphql(app, JSON.stringify({ query }), { authorization });
    for (const query of [
      '{ releasePipelineByAccessKey { id } ...More } fragment More on Query { ... { viewer { id } } }',
      '{ __schema { queryType { name } } }',
    ])
      expect((await ask(query)).body.errors?.[0]?.extensions).toMatchObject({ type: 'forbidden', code: 'FORBIDDEN' });
    expect((await ask('{ __typename }')).body.data).toEqual({ __typename: 'Query' });
    expect((await ask('{ __typename }', `Bearer ${token}`)).status).toBe(400);
    expect((await ask('{ __typename }', token.slice(0, -1))).status).toBe(401);
    expect((await callRest(app, 'GET', '/api/api-keys', { authorization: token })).status).toBe(401);
    // its calls are not its maker's
    const left = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-requests-remaining'));
    const before = left(await org.graphql('{ __typename }'));
    // what is taken comes back by and by
    const own = await Promise.all(Array.from({ length: 20 }, async () => left(await ask('{ __typename }'))));
    expect(Math.min(...own)).toBeLessThan(before - 10);
    expect(left(await org.graphql('{ __typename }'))).toBeGreaterThanOrEqual(before - 1);
  });

  it('are shown once, stored as hashes, listed and ended by who made them', async () => {
    const org = await app.organization();
    const token = await org.accessToken();
    const bob = await (await org.member()).accessToken();
    const pipelineId = (await org.client().createReleasePipeline({ name: 'iOS' })).releasePipelineId!;
    const secret = await org.newTeam({ private: true });
    const hidden = await org.client().createReleasePipeline({ name: 'Hidden', teamIds: [secret.id] });
    const made = await rest('POST', '', { token, body: { pipelineId, label: 'ci' } });
    expect(made.body).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(TOKEN),
      createdAt: expect.any(String),
    });
    const key = String(made.body['token']);
    const [stored] = await app.nest
      .get(Db)
      .readText('SELECT * FROM release_access_keys WHERE id = $1', [made.body['id']]);
    expect(stored).toMatchObject({ hash: sha256Hex(key) });
    expect(JSON.stringify(stored)).not.toContain(key.slice(12));
    const list = async (as: string) =>
      (await rest('GET', '', { token: as })).body['releaseAccessKeys'] as Record<string, unknown>[];
    expect(await list(token)).toEqual([
      {
        id: made.body['id'],
        pipelineId,
        label: 'ci',
        start: key.slice(0, 12),
        createdAt: made.body['createdAt'],
        lastUsedAt: null,
      },
    ]);
    expect(await list(bob)).toEqual([]);
    await clientOf(key).releasePipelineByAccessKey;
    await expect.poll(async () => (await list(token))[0]?.['lastUsedAt']).toEqual(expect.any(String));
    const missing = { token: bob, body: { pipelineId: hidden.releasePipelineId! } };
    expect(await rest('POST', '', missing)).toMatchObject({
      status: 404,
      body: { message: 'release_pipeline_not_found' },
    });
    expect((await rest('POST', '', { token, body: { pipelineId: 'x' } })).status).toBe(400);
    const end = (as: string) => rest('DELETE', `/${String(made.body['id'])}`, { token: as });
    expect(await end(bob)).toMatchObject({ status: 404, body: { message: 'release_access_key_not_found' } });
    expect(await end(token)).toMatchObject({ status: 200, body: { success: true } });
    expect((await end(token)).status).toBe(404);
    await expect(clientOf(key).releasePipelineByAccessKey).rejects.toThrow('Authentication required');
  });

  it('come with documents, are in no export and no copy, and are hidden in the timeline', async () => {
    const token = `svc_rel_${sha256Hex(crypto.randomUUID()).slice(0, 40)}`;
    const pipeline = { name: 'iOS', access_keys: [{ label: 'ci', token }, { label: 'other' }] };
    const document = { name: 'keys', tracker: { release_pipelines: [pipeline] } };
    const { ctl } = await makeSandbox(app, document);
    const key = clientOf(token);
    await key.releaseSyncByAccessKey({
      commitSha: SHA,
      debugSink: { inspectedShas: [token], issues: {}, pullRequests: [] },
    });
    const timeline = JSON.stringify((await send(app, 'GET', '/api/sandboxes/self/timeline', ctl)).body);
    expect(timeline).toContain('releaseSyncByAccessKey');
    expect(timeline).not.toContain(token.slice(12));
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.release_pipelines[0].access_keys).toEqual([{ label: 'ci' }, { label: 'other' }]);
    expect(JSON.stringify(exported)).not.toContain(token);
    const changes = (await send(app, 'GET', '/api/sandboxes/self/changes', ctl)).body;
    expect(JSON.stringify(changes)).not.toContain(sha256Hex(token));

    const taken = await send(app, 'POST', '/api/sandboxes', OPERATOR, { ...document, name: 'keys again' });
    expect([taken.status, taken.body.message]).toEqual([409, 'token_taken']);
    const wrong = { name: 'iOS', access_keys: [{ token: 'svc_api_0123456789012345678901234567890123456789' }] };
    const refused = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
      name: 'wrong',
      tracker: { release_pipelines: [wrong] },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('tracker.release_pipelines[0].access_keys[0].token'),
    ]);
  });
});
