import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { postGraphql } from '../support/tracker.js';

const app = useApp();

const price = (answer: { headers: Headers }) => Number(answer.headers.get('x-complexity'));
const TOO_COMPLEX = { type: 'ratelimited', code: 'RATELIMITED', statusCode: 400 };

/** `issues` within `project` within `issues`, nested to this depth. */
function nested(depth: number): object {
  return depth === 0 ? { title: { eq: 'x' } } : { project: { issues: { some: nested(depth - 1) } } };
}

describe('the complexity of a filter', () => {
  const ISSUES = 'query($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }';

  it('is a tenth of a point per comparator, and ten times as much below each relation', async () => {
    const org = await app.organization();
    const priced = async (filter: object | null) => price(await org.graphql(ISSUES, { filter }));
    // 1 + 1.1 points without a filter
    expect(await priced(null)).toBe(3);
    expect(await priced({ title: { eq: 'x' } })).toBe(3);
    expect(await priced({ assignee: { name: { eq: 'x' }, email: { eq: 'y' } } })).toBe(5);
    expect(await priced({ and: [{ assignee: { name: { eq: 'x' } } }, { or: [{ title: { eq: 'x' } }] }] })).toBe(4);
    expect(await priced(nested(1))).toBe(13);
    const literal = await org.graphql('{ issues(filter: {project: {lead: {name: {eq: "x"}}}}) { nodes { id } } }');
    expect(price(literal)).toBe(13);
  });

  it('refuses relations nested too deeply, in variables and literals alike', async () => {
    const org = await app.organization();
    for (const depth of [3, 4, 30]) {
      const { status, body } = await org.graphql(ISSUES, { filter: nested(depth) });
      expect(status).toBe(400);
      expect(body.errors?.[0]).toMatchObject({ message: 'Query too complex', extensions: TOO_COMPLEX });
    }
    const deep =
      '{ project: { issues: { some: { project: { issues: { every: { project: { name: { eq: "x" } } } } } } } } }';
    const { status } = await org.graphql(`{ issues(filter: ${deep}) { nodes { id } } }`);
    expect(status).toBe(400);
  });

  it('is multiplied by the connections around it', async () => {
    const org = await app.organization();
    const query = (filter: string) => `{ teams(first: 10) { nodes { issues(first: 1${filter}) { nodes { id } } } } }`;
    const plain = price(await org.graphql(query('')));
    expect(price(await org.graphql(query(', filter: {assignee: {name: {eq: "x"}}}')))).toBe(plain + 10);
  });
});

describe('introspection', () => {
  it('costs 1,000 points per schema, so the document of an IDE passes and eleven of them do not', async () => {
    const org = await app.organization();
    const document = (count: number) =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: __schema { types { name } }`).join(' ')} }`;
    const one = await org.graphql(document(1));
    expect([one.status, price(one)]).toEqual([200, 1000]);
    expect(price(await org.graphql('{ __type(name: "Issue") { name fields { name } } }'))).toBe(1000);
    expect((await org.graphql(document(10))).status).toBe(200);
    const eleven = await org.graphql(document(11));
    expect(eleven.status).toBe(400);
    expect(eleven.body.errors?.[0]).toMatchObject({ message: 'Query too complex', extensions: TOO_COMPLEX });
  });
});

describe('the size of an answer', () => {
  it('is limited: a request for more is refused as a whole, and the next one is answered', async () => {
    const org = await app.organization();
    const description = 'long '.repeat(18_000);
    const [team] = (await org.client().teams()).nodes;
    for (let n = 0; n < 4; n++) {
      const input = { teamId: team?.id, title: `t${n}`, description };
      const made = await org.graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
        input,
      });
      expect(made.body.errors).toBeUndefined();
    }
    const aliases = (count: number) =>
      `{ ${Array.from({ length: count }, (_, n) => `a${n}: issues(first: 250) { nodes { description } }`).join(' ')} }`;
    expect((await org.graphql(aliases(20))).status).toBe(200);
    const { status, body } = await org.graphql(aliases(60));
    expect(status).toBe(400);
    expect(body).not.toHaveProperty('data');
    expect(body.errors).toHaveLength(1);
    expect(body.errors?.[0]).toMatchObject({ message: 'Query too complex', extensions: TOO_COMPLEX });
    // the same row repeated many times in one answer
    const repeated = `{ issues(first: 4) { nodes { ${Array.from({ length: 30 }, (_, n) => `d${n}: description`).join(' ')} } } }`;
    expect((await org.graphql(repeated)).status).toBe(400);
    expect((await org.graphql('{ viewer { id } }')).status).toBe(200);
  });
});

describe('text that cannot be stored', () => {
  const ROW_9 = { type: 'invalid input', code: 'INVALID_INPUT', statusCode: 400 };

  it.each([
    ['a variable of a query', 'query($k: String!) { organizationExists(urlKey: $k) { exists } }', { k: '\0' }],
    ['a literal', '{ organizationExists(urlKey: "a\\u0000") { exists } }', {}],
    ['an unpaired surrogate', 'query($id: String!) { issue(id: $id) { id } }', { id: '\uD800' }],
    [
      'a filter',
      'query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }',
      { f: { title: { in: ['ok', '\0'] } } },
    ],
    [
      'an input',
      'mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success } }',
      { i: { teamId: 'x', title: 'a\0b' } },
    ],
  ])('is refused in %s', async (_, query, variables) => {
    const org = await app.organization();
    const { status, body } = await org.graphql(query, variables);
    expect(status).toBe(200);
    expect(body.errors?.[0]).toMatchObject({ message: 'Argument Validation Error', extensions: ROW_9 });
  });
});

describe('a subscription over HTTP', () => {
  it('is refused with an explanation', async () => {
    const org = await app.organization();
    const query = 'subscription { issues { id } }';
    const { status, body } = await postGraphql(app, JSON.stringify({ query }), { authorization: org.apiKey });
    expect(status).toBe(400);
    expect(body.errors?.[0]).toMatchObject({
      message: 'Subscriptions are not supported over HTTP',
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });
});

// docs/reference/tracker.md#access
describe('counts of related entities', () => {
  it('leave out issues of private teams that the caller is not a member of', async () => {
    const org = await app.organization();
    const outsider = await org.member({ name: 'Outsider' });
    const secret = await org.newTeam({ private: true, key: 'SEC' });
    const create = (input: object) =>
      org.data('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }', { input });
    const { projectCreate } = await org.data(
      'mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id } } }',
      { input: { name: 'Shared', teamIds: [org.team.id, secret.id] } },
    );
    const projectId = projectCreate.project.id;
    const { issueCreate: parent } = await create({ teamId: org.team.id, projectId, title: 'known' });
    for (let n = 0; n < 2; n++)
      await create({ teamId: secret.id, projectId, title: 'hidden', parentId: parent.issue.id });

    const counted = async (caller: typeof outsider): Promise<object> => {
      const has = (relation: string, count: number) => `{ ${relation}: { length: { eq: ${count} } } }`;
      const found = async (root: string, relation: string): Promise<number[]> => {
        const aliases = [0, 1, 2, 3].map(
          (n) => `n${n}: ${root}(first: 5, filter: ${has(relation, n)}) { nodes { id } }`,
        );
        const data = await caller.data(`{ ${aliases.join(' ')} }`);
        return [0, 1, 2, 3].filter((n) =>
          data[`n${n}`].nodes.some(({ id }: { id: string }) => id === wanted[relation]),
        );
      };
      const wanted: Record<string, string> = { children: parent.issue.id, issues: projectId };
      const data = await caller.data(
        `{ organization { createdIssueCount } user(id: "${org.owner.id}") { createdIssueCount } }`,
      );
      return {
        organization: data.organization.createdIssueCount,
        creator: data.user.createdIssueCount,
        children: await found('issues', 'children'),
        project: await found('projects', 'issues'),
      };
    };
    expect(await counted(org)).toEqual({ organization: 3, creator: 3, children: [2], project: [3] });
    expect(await counted(outsider)).toEqual({ organization: 1, creator: 1, children: [0], project: [1] });
  });
});
