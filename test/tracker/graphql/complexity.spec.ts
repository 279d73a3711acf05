import { LinearDocument } from '@linear/sdk';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { complexityOf, wholePoints } from '../../../src/tracker/graphql/complexity.js';
import { contractTrackerSchema } from '../../support/tracker-schema.js';

const schema = contractTrackerSchema();

const pointsOf = (text: string, variables = {}, operationName?: string) =>
  complexityOf(schema, parse(text), operationName, variables) / 10;

describe('complexity', () => {
  it.each([
    ['{ user(id: "me") { name } }', 1.1, 2],
    ['{ viewer { id name email displayName } }', 1.4, 2],
    ['{ user(id: "me") { createdIssues { nodes { id title createdAt } } } }', 66, 66],
    ['{ user(id: "me") { createdIssues(first: 10) { nodes { id title createdAt } } } }', 14, 14],
    ['{ projects(first: 250) { nodes { id name } } }', 300, 300],
    ['{ projects(first: 250) { pageInfo { hasNextPage endCursor } nodes { id name } } }', 600, 600],
    ['{ issues(first: 250) { nodes { id } } }', 2.1, 3],
    [
      `{ team(id: "x") { issues(first: 100) { pageInfo { hasNextPage endCursor }
         nodes { identifier title labels { nodes { name } } state { name type } } } } }`,
      571,
      571,
    ],
    ['{ teams(first: 50) { nodes { id key states(first: 20) { nodes { id name type } } } } }', 1360, 1360],
    ['{ issues(first: 250) { nodes { id title comments(first: 50) { nodes { id body } } } } }', 15002.2, 15003],
    ['mutation { issueDelete(id: "x") { success } }', 1.1, 2],
  ])('of %s is %d points, told as %d', (text, points, header) => {
    expect(pointsOf(text)).toBe(points);
    expect(wholePoints(complexityOf(schema, parse(text)))).toBe(header);
  });

  const documents = LinearDocument as unknown as Record<string, object>;
  it.each([
    ['IssuesDocument', 45, 45, 250],
    ['Team_IssuesDocument', 2191, 10951, 228],
    ['Issue_ChildrenDocument', 2191, 10951, 228],
    ['Viewer_AssignedIssuesDocument', 2191, 10951, 228],
    ['CommentsDocument', 2175, 10875, 229],
    ['Issue_CommentsDocument', 2176, 10876, 229],
    ['IssueSearchDocument', 2190, 10950, 228],
    ['SearchIssuesDocument', 2270, 11350, 220],
    ['ProjectsDocument', 1575, 7875, 250],
    ['TeamsDocument', 1285, 6425, 250],
    ['UsersDocument', 285, 1425, 250],
    ['CustomViewsDocument', 4810, 24050, 103],
    ['NotificationsDocument', 7285, 36425, 68],
    ['Issue_AttachmentsDocument', 401, 2001, 250],
    ['Issue_RelationsDocument', 256, 1276, 250],
    ['Issue_HistoryDocument', 3166, 15826, 157],
    ['AgentSession_ActivitiesDocument', 456, 2276, 250],
    ['DocumentsDocument', 630, 3150, 250],
    ['InitiativesDocument', 1215, 6075, 250],
    ['ReleasesDocument', 1265, 6325, 250],
  ])('of %s of the SDK is %i, and %i with first: 250', (name, byDefault, largest, largestFirst) => {
    const document = parse(String(documents[name]));
    const priceAt = (first?: number) => wholePoints(complexityOf(schema, document, undefined, { first }));
    expect([priceAt(), priceAt(250)]).toEqual([byDefault, largest]);
    expect(priceAt(largestFirst)).toBeLessThanOrEqual(10_000);
    if (largestFirst < 250) expect(priceAt(largestFirst + 1)).toBeGreaterThan(10_000);
  });

  it.each([
    ['IssueDocument', 43],
    ['ViewerDocument', 5],
    ['CreateIssueDocument', 3],
    ['AgentSessionDocument', 11],
  ])('of %s of the SDK is %i', (name, points) => {
    expect(wholePoints(complexityOf(schema, parse(String(documents[name]))))).toBe(points);
  });

  it('lets the client ask for all that it asks for by itself of notifications', () => {
    const document = parse(String(documents['NotificationsDocument']));
    expect(wholePoints(complexityOf(schema, document, undefined, {}))).toBeLessThanOrEqual(10_000);
  });

  it.each([
    ['{ templates { id name } }', 1.2],
    ['{ customer(id: "x") { needs { id body } } }', 1 + 1 + 0.2],
    ['{ issue(id: "x") { reactions { id emoji } } }', 1 + 1 + 0.2],
  ])('of a plain list is 1 and what it holds: %s', (text, points) => {
    expect(pointsOf(text)).toBeCloseTo(points);
  });

  it('counts a schema as 1,000 points with everything below it, and __typename as nothing', () => {
    expect(pointsOf('{ __schema { types { name fields { name } } } __typename viewer { __typename } }')).toBe(1001);
  });

  it('counts fragments where they are spread, each alias, and no directives', () => {
    const text = `query Q($no: Boolean!) { a: viewer { ...U } b: viewer { ... on User { id name } } viewer { id @include(if: $no) } }
      fragment U on User { id name }`;
    expect(pointsOf(text, { no: false })).toBe(1.2 + 1.2 + 1.1);
  });

  it('takes the page size from first, else last, as a literal or variable, with its default', () => {
    const query = 'query Q($n: Int = 4, $m: Int) { webhooks(first: $n, last: $m) { nodes { id } } }';
    expect(pointsOf(query)).toBeCloseTo(4 * 1.1);
    expect(pointsOf(query, { n: 3, m: 9 })).toBeCloseTo(3 * 1.1);
    expect(pointsOf(query, { n: null, m: 9 })).toBeCloseTo(9 * 1.1);
    expect(pointsOf(query, { n: null })).toBeCloseTo(50 * 1.1);
    expect(pointsOf(query, { n: -3 })).toBe(0);
    expect(pointsOf(query, { n: 1000 })).toBeCloseTo(1100);
  });

  it('is that of the selected operation', () => {
    const text = 'query A { viewer { id } } query B { issues { nodes { id } } }';
    expect(pointsOf(text, {}, 'B')).toBe(2.1);
    expect(pointsOf(text, {}, 'C')).toBe(0);
  });

  it('multiplies only connections inside cheap ones by their page size', () => {
    expect(pointsOf('{ issues(first: 10) { nodes { labels(first: 5) { nodes { id } } } } }')).toBe(1 + 1 + 1 + 1.1);
    expect(
      pointsOf('{ issues(first: 10) { nodes { labels(first: 5) { nodes { issues(first: 2) { nodes { id } } } } } } }'),
    ).toBe(1 + 1 + 1 + 1 + 110);
  });

  it('takes linear time for fragments that double at every level', () => {
    const levels = 200;
    const fragments = Array.from(
      { length: levels },
      (_, i) => `fragment F${i} on User { ${i + 1 < levels ? `...F${i + 1} ...F${i + 1}` : 'id'} }`,
    );
    expect(pointsOf(`{ viewer { ...F0 } } ${fragments.join(' ')}`)).toBeGreaterThan(1e50);
  });

  it('ends for a fragment that contains itself', () => {
    expect(pointsOf('{ viewer { ...A } } fragment A on User { id ...B } fragment B on User { name ...A }')).toBe(1.2);
  });
});
