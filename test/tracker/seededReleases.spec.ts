import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const DOCUMENT = {
  name: 'releases',
  users: ['bob'],
  tracker: {
    teams: [
      {
        key: 'ENG',
        issues: [
          { title: 'Fix', ref: 'fix' },
          { title: 'Own', ref: 'own', releases: ['Only here'] },
        ],
      },
    ],
    release_pipelines: [
      {
        name: 'iOS',
        teams: ['ENG'],
        stages: [{ name: 'Development' }, { name: 'Testing', frozen: true }],
        releases: [
          { as: 'bob', name: 'Spring', version: '1.0', stage: 'Testing', issues: ['fix'] },
          {
            name: 'Summer',
            stage: 'Planned',
            documents: [{ title: 'Plan' }],
            links: [{ label: 'CI', url: 'https://ci.example/' }],
          },
          { name: 'Only here' },
        ],
        notes: [{ title: 'News', content: 'Fast', releases: ['Spring'] }],
      },
      { name: 'Web', type: 'continuous', releases: [{ name: 'Spring', version: 'abc' }] },
    ],
  },
};

// docs/reference/tracker.md#releasepipeline
describe('releases of seed documents', () => {
  const app = useApp();

  it('stand in the stages of their pipeline, by themselves in the first that fits, and are exported as they are', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const key = { authorization: String(body.credentials.api_key) };
    const query = `{ releasePipelines(first: 2) { nodes { name stages { nodes { name type position } }
      releases(first: 3) { nodes { name version stage { name } startedAt completedAt creator { name } issues(first: 2) { nodes { title } }
        releaseNotes { title } } } } } }`;
    const pipelines = async (headers: object): Promise<any[]> =>
      (await send(app, 'POST', '/graphql', headers as Record<string, string>, { query })).body.data.releasePipelines
        .nodes;
    const [web, ios] = await pipelines(key);
    expect(ios.stages.nodes.map(({ name }: { name: string }) => name)).toEqual(
      'Planned Development Testing Completed Canceled'.split(' '),
    );
    expect(web.releases.nodes).toMatchObject([
      {
        name: 'Spring',
        stage: { name: 'Completed' },
        startedAt: null,
        completedAt: expect.any(String),
        releaseNotes: [],
      },
    ]);
    const [only, summer, spring] = ios.releases.nodes;
    expect(only).toMatchObject({ stage: { name: 'Development' }, issues: { nodes: [{ title: 'Own' }] } });
    expect(summer).toMatchObject({ stage: { name: 'Planned' }, startedAt: null });
    expect(spring).toMatchObject({
      stage: { name: 'Testing' },
      startedAt: expect.any(String),
      creator: { name: 'bob' },
      issues: { nodes: [{ title: 'Fix' }] },
      releaseNotes: [{ title: 'News' }],
    });

    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.release_pipelines[0]).toMatchObject({
      name: 'iOS',
      teams: ['ENG'],
      stages: [
        { name: 'Development', type: 'started', position: 1 },
        { name: 'Testing', frozen: true },
        { name: 'Completed', position: 3 },
        { name: 'Canceled' },
      ],
      releases: [
        { name: 'Spring', as: 'bob', stage: 'Testing' },
        { documents: [{ title: 'Plan' }] },
        { name: 'Only here' },
      ],
      notes: [{ title: 'News', releases: ['Spring'] }],
    });
    expect(exported.tracker.release_pipelines[1].stages).toBeUndefined();
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);
  });

  it('name a stage of their own pipeline alone', async () => {
    const pipeline = { name: 'iOS', stages: [{ name: 'Testing' }] };
    const other = { name: 'Web', releases: [{ name: 'x', stage: 'Nowhere' }] };
    const answer = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
      name: 'wrong',
      tracker: { release_pipelines: [pipeline, other] },
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('tracker.release_pipelines[1].releases[0].stage');
  });
});
