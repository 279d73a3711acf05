import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

const app = useApp();

const agent = (name: string) => ({
  name,
  redirect_uris: ['https://app.example/callback'],
  webhook_url: 'http://127.0.0.1:9/',
  installed: { actor: 'app', scopes: ['write', 'app:assignable'] },
});
const DOCUMENT = {
  users: ['alice', 'bob'],
  tracker: {
    teams: [
      {
        key: 'ENG',
        labels: [{ name: 'beta' }, { name: 'Alpha' }],
        templates: [{ name: 'Chore', type: 'issue', template_data: {} }],
        issues: [
          {
            title: 'A',
            ref: 'a',
            project: 'P1',
            labels: ['beta'],
            milestone: 'Beta',
            delegate: 'Zed',
            template: 'Chore',
            attachments: [{ url: 'https://a.example/', title: 'T', source_type: 'zendesk' }],
          },
          {
            title: 'B',
            ref: 'b',
            project: 'P1',
            labels: ['Alpha'],
            milestone: 'alpha',
            delegate: 'amy',
            relations: [{ type: 'related', issue: 'a' }],
          },
          { title: 'C', relations: [{ type: 'similar', issue: 'a' }] },
        ],
      },
    ],
    projects: [
      {
        name: 'P1',
        teams: ['ENG'],
        milestones: [{ name: 'Beta' }, { name: 'alpha' }],
        updates: [{ as: 'alice', body: 'x', health: 'atRisk' }],
      },
      { name: 'P2', teams: ['ENG'], updates: [{ as: 'alice', body: 'x', health: 'onTrack' }] },
      { name: 'P3', teams: ['ENG'] },
      { name: 'P4', teams: ['ENG'], updates: [{ as: 'alice', body: 'x', health: 'offTrack' }] },
    ],
    apps: [agent('Zed'), agent('amy')],
    customer_statuses: [
      { name: 'Late', position: 9 },
      { name: 'Early', position: -1 },
    ],
    customer_tiers: [
      { name: 'Second', position: 2 },
      { name: 'First', position: 1 },
    ],
    customers: [
      {
        name: 'Big',
        revenue: 100,
        size: 1,
        status: 'Late',
        tier: 'First',
        owner: 'bob',
        needs: [
          { issue: 'a', body: 'x', priority: 1 },
          { issue: 'a', body: 'y' },
        ],
      },
      {
        name: 'acme',
        revenue: 1,
        size: 9,
        status: 'Early',
        tier: 'Second',
        owner: 'alice',
        needs: [{ issue: 'b', body: 'x' }],
      },
      { name: 'None' },
    ],
    release_pipelines: [
      {
        name: 'iOS',
        releases: [
          { name: 'Winter', issues: ['a'] },
          { name: 'autumn', issues: ['b'] },
        ],
      },
    ],
  },
};

// docs/reference/tracker.md#filters
describe('lists of the wide tracker', () => {
  let ask: (query: string) => Promise<string[]>;
  beforeAll(async () => {
    const { body } = await makeSandbox(app, DOCUMENT);
    ask = async (query) => {
      const answer = await send(app, 'POST', '/graphql', { authorization: body.credentials.api_key }, { query });
      expect(answer.body.errors, JSON.stringify(answer.body.errors)).toBeUndefined();
      const [list] = Object.values(answer.body.data) as [{ nodes: { name?: string; title?: string }[] }];
      return list.nodes.map(({ name, title }) => String(name ?? title));
    };
  });
  const sorted = (list: string, key: string, options: string, name: string, argument = 'sort'): Promise<string[]> =>
    ask(`{ ${list}(${argument}: [{ ${key}: { ${options} } }]) { nodes { ${name} } } }`);

  it.each(['label', 'milestone', 'release', 'delegate', 'customerRevenue'])(
    'of issues are sorted by %s, those without one last unless they are to be first',
    async (key) => {
      const by = (options: string) => sorted('issues', key, options, 'title');
      expect(await by('order: Ascending')).toEqual(['B', 'A', 'C']);
      expect(await by('order: Descending')).toEqual(['A', 'B', 'C']);
      expect(await by('order: Ascending, nulls: first')).toEqual(['C', 'B', 'A']);
      expect(await by('order: Descending, nulls: first')).toEqual(['C', 'A', 'B']);
    },
  );

  it('of issues are sorted by numbers of needs, and by the name of their customer', async () => {
    expect(await sorted('issues', 'customerCount', 'order: Ascending', 'title')).toEqual(['C', 'B', 'A']);
    expect(await sorted('issues', 'customerCount', 'order: Descending', 'title')).toEqual(['A', 'B', 'C']);
    expect((await sorted('issues', 'customerImportantCount', 'order: Descending', 'title'))[0]).toBe('A');
    expect((await sorted('issues', 'customer', 'order: Ascending', 'title')).at(-1)).toBe('C');
  });

  it('of issues are sorted by the label of a group, and by what is at the top of their parents', async () => {
    const grouped = {
      tracker: {
        teams: [
          {
            key: 'ENG',
            issues: [
              { title: 'Zoo', ref: 'zoo' },
              { title: 'child of Zoo', ref: 'child', parent: 'zoo' },
              { title: 'alone' },
              { title: 'Mouse', ref: 'mouse' },
              { title: 'grandchild', parent: 'child' },
              { title: 'child of Mouse', parent: 'mouse' },
            ],
          },
        ],
      },
    };
    const { body } = await makeSandbox(app, grouped);
    // oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely
    const query = async (text: string): Promise<any> =>
      (await send(app, 'POST', '/graphql', { authorization: body.credentials.api_key }, { query: text })).body;
    const by = async (sort: string): Promise<string[]> =>
      (
        await query(`{ issues(sort: [${sort}, { title: { order: Ascending } }]) { nodes { title } } }`)
      ).data.issues.nodes.map(({ title }: { title: string }) => title);
    const made = async (input: string): Promise<string> =>
      (await query(`mutation { issueLabelCreate(input: { ${input} }) { issueLabel { id } } }`)).data.issueLabelCreate
        .issueLabel.id;
    const labelGroupId = await made('name: "Size", isGroup: true');
    for (const [title, name] of [
      ['Zoo', 'large'],
      ['child of Zoo', 'Big'],
    ]) {
      const label = await made(`name: "${name}", parentId: "${labelGroupId}"`);
      const { nodes } = (await query(`{ issues(filter: { title: { eq: "${title}" } }) { nodes { id } } }`)).data.issues;
      await query(`mutation { issueAddLabel(id: "${nodes[0].id}", labelId: "${label}") { success } }`);
    }
    const ofGroup = await by(`{ labelGroup: { labelGroupId: "${labelGroupId}" } }`);
    expect(ofGroup.slice(0, 2)).toEqual(['child of Zoo', 'Zoo']);
    const byRoot = ['alone', 'child of Mouse', 'Mouse', 'child of Zoo', 'grandchild', 'Zoo'];
    expect(await by('{ rootIssue: { sort: { title: { order: Ascending } } } }')).toEqual(byRoot);
    const turned = ['child of Zoo', 'grandchild', 'Zoo', 'child of Mouse', 'Mouse', 'alone'];
    expect(await by('{ rootIssue: { sort: { title: { order: Descending } } } }')).toEqual(turned);
    expect(await by('{ rootIssue: { order: Descending, sort: { rootIssue: { sort: { title: {} } } } } }')).toEqual(
      turned,
    );
    // page by page
    const paged: string[] = [];
    for (let after = ''; ;) {
      const sort = '[{ rootIssue: { sort: { title: { order: Ascending } } } }, { title: {} }]';
      const page = `issues(first: 2, sort: ${sort}${after}) { nodes { title } pageInfo { hasNextPage endCursor } }`;
      const { issues } = (await query(`{ ${page} }`)).data;
      paged.push(...issues.nodes.map(({ title }: { title: string }) => title));
      if (!issues.pageInfo.hasNextPage) break;
      after = `, after: "${issues.pageInfo.endCursor}"`;
    }
    expect(paged).toEqual(byRoot);
    for (const wrong of ['{ labelGroup: { labelGroupId: "Size" } }', '{ rootIssue: { sort: {} } }']) {
      const { errors } = await query(`{ issues(sort: [${wrong}]) { nodes { title } } }`);
      expect(errors[0].extensions.code).toBe('INVALID_INPUT');
    }
  });

  it('of projects are sorted by health, from on track to off track', async () => {
    const by = (options: string) => sorted('projects', 'health', options, 'name');
    expect(await by('order: Ascending')).toEqual(['P2', 'P1', 'P4', 'P3']);
    expect(await by('order: Descending')).toEqual(['P4', 'P1', 'P2', 'P3']);
    expect(await by('order: Ascending, nulls: first')).toEqual(['P3', 'P2', 'P1', 'P4']);
  });

  it('of customers are sorted by the positions of status and tier, by names and by numbers', async () => {
    const by = (key: string, options = 'order: Ascending') => sorted('customers', key, options, 'name', 'sorts');
    expect(await by('status')).toEqual(['acme', 'None', 'Big']);
    expect(await by('tier')).toEqual(['Big', 'acme', 'None']);
    expect(await by('tier', 'order: Descending')).toEqual(['acme', 'Big', 'None']);
    expect(await by('name')).toEqual(['acme', 'Big', 'None']);
    expect((await by('owner')).slice(0, 2)).toEqual(['acme', 'Big']);
    expect((await by('size')).slice(0, 2)).toEqual(['Big', 'acme']);
    expect(await by('approximateNeedCount', 'order: Descending')).toEqual(['Big', 'acme', 'None']);
  });

  it.each([
    ['hasRelatedRelations: { eq: true }', ['A', 'B']],
    ['hasRelatedRelations: { eq: false }', ['C']],
    ['lastAppliedTemplate: { name: { eq: "Chore" } }', ['A']],
    ['lastAppliedTemplate: { null: true }', ['B', 'C']],
    ['customerCount: { gte: 1 }', ['A', 'B']],
    ['customerCount: { eq: 2 }', ['A']],
    ['customerImportantCount: { eq: 1 }', ['A']],
    ['customerImportantCount: { eq: 0 }', ['B', 'C']],
    ['attachments: { some: { sourceType: { eq: "zendesk" } } }', ['A']],
    ['attachments: { length: { eq: 0 } }', ['B', 'C']],
    ['delegate: { name: { eq: "amy" } }', ['B']],
    ['releases: { some: { name: { startsWithIgnoreCase: "WIN" } } }', ['A']],
    ['needs: { some: { customer: { tier: { displayName: { eq: "First" } } } } }', ['A']],
    ['project: { health: { eq: "atRisk" } }', ['A', 'B']],
  ])('of issues with %s', async (filter, titles) => {
    expect((await ask(`{ issues(filter: { ${filter} }) { nodes { title } } }`)).sort()).toEqual(titles);
  });

  it.each([
    ['teams(filter: { visibility: { eq: public } })', ['Engineering']],
    ['users(filter: { app: { eq: true } })', ['Zed', 'amy']],
  ])('of %s', async (list, names) => {
    const found = await ask(`{ ${list} { nodes { name } } }`);
    for (const name of names) expect(found.map((one) => one.replace('ENG', 'Engineering'))).toContain(name);
    expect(found).toHaveLength(names.length);
  });
});
