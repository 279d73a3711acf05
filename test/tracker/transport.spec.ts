import { GraphqlLinearError } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { checkedAnswer, postGraphql } from '../support/tracker.js';

const app = useApp();
const VIEWER = '{"query":"{ viewer { id } }"}';
const ROW_4 = {
  message: 'GraphQL operations must contain a non-empty query.',
  extensions: {
    type: 'graphql error',
    code: 'BAD_REQUEST',
    statusCode: 400,
    userError: true,
    userPresentableMessage: 'GraphQL operations must contain a non-empty query.',
  },
};
/** Answers that take from no budget show full ones. */
const isFull = (headers: Headers) =>
  headers.get('x-ratelimit-requests-remaining') === '5000' &&
  headers.get('x-ratelimit-complexity-remaining') === '3000000';

describe('the GraphQL endpoint', () => {
  it('answers on both paths, with the six budget headers, the complexity and no errors key', async () => {
    const org = await app.organization();
    const before = Date.now();
    for (const path of ['/graphql', '/api/graphql']) {
      const query = '{ viewer { id name email displayName } organization { id urlKey } }';
      const { status, headers, body } = await postGraphql(
        app,
        JSON.stringify({ query }),
        { authorization: org.apiKey, accept: 'application/graphql-response+json' },
        path,
      );
      expect(status).toBe(200);
      const { id, name, email, displayName } = org.owner;
      const viewer = { id, name, email, displayName };
      expect(body).toEqual({ data: { viewer, organization: { id: org.id, urlKey: org.urlKey } } });
      expect(headers.get('x-complexity')).toBe('3');
      expect(headers.get('x-ratelimit-requests-limit')).toBe('5000');
      expect(headers.get('x-ratelimit-complexity-limit')).toBe('3000000');
      expect(Number(headers.get('x-ratelimit-requests-reset'))).toBeGreaterThanOrEqual(before + 3_600_000);
      expect(headers.get('retry-after')).toBeNull();
    }
  });

  it('serves the official client', async () => {
    const org = await app.organization();
    const viewer = await org.client().viewer;
    const organization = await viewer.organization;
    expect(organization).toMatchObject({ id: org.id, userCount: 1, createdIssueCount: 0 });
    expect((await organization.teams()).nodes.map((team) => team.key)).toEqual(['ENG']);
    expect((await viewer.teamMemberships()).nodes).toHaveLength(1);
  });

  it('runs a document again, compiled, with other variables', async () => {
    const org = await app.organization();
    const query = 'query($id: String!, $first: Int) { user(id: $id) { id teams(first: $first) { nodes { key } } } }';
    for (const first of [1, 2, 3, 251]) {
      const { body } = await org.graphql(query, { id: 'me', first });
      if (first <= 250) expect(body.data.user).toEqual({ id: org.owner.id, teams: { nodes: [{ key: 'ENG' }] } });
      else expect(body.errors?.[0]?.extensions['userPresentableMessage']).toBe('first must not be greater than 250.');
    }
  });

  it.each([
    ['an argument', 'query($v: String = "me") { user(id: $v) { id } }', 'String!'],
    ['a directive', 'query($v: Boolean = true) { viewer { id @include(if: $v) } }', 'Boolean!'],
    [
      'a field of an input, in a fragment',
      'mutation($v: String = "x") { ...f } fragment f on Mutation { issueCreate(input: { teamId: $v, title: "x" }) { success } }',
      'String!',
    ],
    [
      'a list',
      'mutation($v: [String!] = ["Issue"]) { webhookCreate(input: { url: "http://x.example", resourceTypes: $v }) { success } }',
      '[String!]!',
    ],
  ])('refuses null for a variable with a default, in place of %s, in each run', async (_, query, type) => {
    const org = await app.organization();
    // first interpreted, then compiled, then from the cache
    for (let run = 0; run < 3; run++) {
      const { status, body } = await org.graphql(query, { v: null });
      expect(status).toBe(400);
      expect(body).toEqual({
        errors: [
          expect.objectContaining({
            message: `Variable "$v" of non-null type "${type}" must not be null.`,
            extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', statusCode: 400, userError: true }),
          }),
        ],
      });
    }
  });

  it('uses the default of a missing variable, and null where the type allows it', async () => {
    const org = await app.organization();
    const query = 'query($v: String = "me", $n: Int = 1) { user(id: $v) { id teams(first: $n) { nodes { key } } } }';
    for (const variables of [{}, { n: null }, {}]) {
      const { body } = await org.graphql(query, variables);
      expect(body.data.user).toEqual({ id: org.owner.id, teams: { nodes: [{ key: 'ENG' }] } });
    }
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers %s with 405 and BAD_REQUEST', async (method) => {
    const answer = await checkedAnswer(await fetch(`${app.baseUrl}/graphql?query={viewer{id}}`, { method }));
    expect(answer.status).toBe(405);
    expect(answer.body.errors).toMatchObject([ROW_4]);
    expect('data' in answer.body).toBe(false);
    expect(isFull(answer.headers)).toBe(true);
  });

  it('accepts 1,048,576 bytes and answers 413 to one more, before it checks the credential', async () => {
    const org = await app.organization();
    const start = '{"query":"{ viewer { id } }","variables":{"x":"';
    const ofSize = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
    const fits = await postGraphql(app, ofSize(1_048_576), { authorization: org.apiKey });
    expect(fits.status).toBe(200);
    const tooLarge = await postGraphql(app, ofSize(1_048_577));
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body.errors).toMatchObject([ROW_4]);
    expect(isFull(tooLarge.headers)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['an array', `[${VIEWER}]`],
    ['null', 'null'],
    ['a string', '"{ viewer { id } }"'],
    ['no query', '{}'],
    ['an empty query', '{"query":""}'],
    ['a query that is no string', '{"query":{"kind":"Document"}}'],
    ['variables that are a list', '{"query":"{ viewer { id } }","variables":[]}'],
    ['variables that are a string', '{"query":"{ viewer { id } }","variables":"{}"}'],
  ])('answers %s with BAD_REQUEST, and counts one request', async (_name, body) => {
    const org = await app.organization();
    const { status, headers, body: answer } = await postGraphql(app, body, { authorization: org.apiKey });
    expect(status).toBe(400);
    expect(answer.errors).toMatchObject([ROW_4]);
    expect('data' in answer).toBe(false);
    expect(headers.get('x-ratelimit-requests-remaining')).toBe('4999');
    expect(headers.get('x-ratelimit-complexity-remaining')).toBe('3000000');
    expect(headers.get('x-complexity')).toBeNull();
  });

  it('accepts variables: null, any content type, and an operation by name', async () => {
    const org = await app.organization();
    const headers = { authorization: org.apiKey };
    const ok = await postGraphql(app, '{"query":"{ viewer { id } }","variables":null,"operationName":null}', {
      ...headers,
      'content-type': 'text/plain',
    });
    expect(ok.body.data.viewer.id).toBe(org.owner.id);
    const two = 'query A { viewer { id } } query B { organization { id } }';
    expect((await org.graphql(two, {}, 'B')).body.data).toEqual({ organization: { id: org.id } });
    for (const name of [undefined, 'C']) {
      const { status, body } = await org.graphql(two, {}, name);
      expect(status).toBe(400);
      expect(body.errors?.[0]?.extensions).toMatchObject({
        type: 'graphql error',
        code: 'OPERATION_RESOLUTION_FAILURE',
        statusCode: 400,
      });
    }
  });
});

describe('documents', () => {
  it('that do not parse or validate answer a graphql error', async () => {
    const org = await app.organization();
    for (const [query, code, message] of [
      ['{', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Expected Name, found <EOF>.'],
      ['{ viewer { nosuchfield } }', 'GRAPHQL_VALIDATION_FAILED', 'Cannot query field "nosuchfield" on type "User".'],
      ['{ user(id: 7) { id } }', 'GRAPHQL_VALIDATION_FAILED', 'String cannot represent a non string value: 7'],
    ]) {
      // the second time from the cache
      for (const _ of [1, 2]) {
        const { status, body } = await org.graphql(query as string);
        expect(status).toBe(400);
        expect(body.errors?.[0]).toMatchObject({
          message,
          extensions: { type: 'graphql error', code, statusCode: 400 },
        });
        expect(body.errors?.[0]?.extensions).not.toHaveProperty('userPresentableMessage');
        expect('data' in body).toBe(false);
      }
    }
    await expect(org.client().client.rawRequest('{ nosuchfield }')).rejects.toThrow();
    await expect((await org.client().viewer).drafts()).rejects.toThrow(GraphqlLinearError);
  });

  it('with variables that do not fit answer BAD_USER_INPUT, compiled or not', async () => {
    const org = await app.organization();
    for (const _ of [1, 2, 3]) {
      const { status, headers, body } = await org.graphql('query($id: String!) { user(id: $id) { id } }', { id: 7 });
      expect(status).toBe(400);
      expect(body.errors?.[0]).toMatchObject({
        message: 'Variable "$id" got invalid value 7; String cannot represent a non string value: 7',
        extensions: { type: 'graphql error', code: 'BAD_USER_INPUT', statusCode: 400 },
      });
      expect('data' in body).toBe(false);
      expect(headers.get('x-complexity')).toBe('2');
    }
  });

  it('of depth 30, with 1,000 aliases and with almost 10,000 tokens are executed', async () => {
    const org = await app.organization();
    const aliases = Array.from({ length: 1_000 }, (_, i) => `a${i}: id`).join(' ');
    const names = 'id name email '.repeat(3_300);
    for (const query of [`{ viewer { ${aliases} } }`, `{ viewer { ${names} } }`]) {
      const { body } = await org.graphql(query);
      expect(body.errors).toBeUndefined();
    }
    // thirty levels: root, viewer, then four in each round
    const round = 'organization { users(first: 1) { nodes { ';
    const deep = `{ viewer { ${round.repeat(9)} id ${'} } } '.repeat(9)} } }`;
    expect((await org.graphql(deep)).body.errors).toBeUndefined();
  });

  const repeated = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join(' ');
  it.each([
    ['10,000 aliases', `{ ${repeated(10_000, (i) => `a${i}: viewer { id }`)} }`],
    ['a fragment cycle', '{ viewer { ...A } } fragment A on User { ...B } fragment B on User { ...A }'],
    ['depth 500', `${'{ organization '.repeat(500)}{ id }${' }'.repeat(500)}`],
    ['a megabyte of names', `{ ${'viewer '.repeat(140_000)}}`],
    ['a megabyte of text', `{ user(id: "${'x'.repeat(1_000_000)}") { id } }`],
    ['a megabyte of open braces', '{'.repeat(1_000_000)],
    [
      'fragments in each other',
      repeated(1_000, (i) => `fragment F${i} on User { ...F${i + 1} ...F${i + 1} }`) +
        ' fragment F1000 on User { id } { viewer { ...F0 } }',
    ],
    ['one field many times', `{ viewer { ${'id '.repeat(9_990)} } }`],
    ['one object many times', `{ ${repeated(1_900, (i) => `viewer { ${['id', 'name', 'email'][i % 3]} }`)} }`],
    ['deep variables', '{ viewer { id } }', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('that are malicious (%s) are answered quickly and never with a 5xx', async (_name, query, variables?: string) => {
    const org = await app.organization();
    const body =
      variables === undefined
        ? JSON.stringify({ query })
        : `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    const began = performance.now();
    const { status } = await postGraphql(app, body, { authorization: org.apiKey });
    const took = performance.now() - began;
    expect(status).toBeLessThan(500);
    // a generous bound, as tests share the machine
    expect(took).toBeLessThan(5_000);
  });
});
