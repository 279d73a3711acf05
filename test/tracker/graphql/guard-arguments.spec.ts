import { execute, type GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/tracker/graphql/connections.js';
import { guardArguments } from '../../../src/tracker/graphql/validate.js';
import { TrackerError } from '../../../src/tracker/values/errors.js';
import { contractTrackerSchema } from '../../support/tracker-schema.js';

const NOW = new Date('2026-03-01T00:00:00Z');
const ID = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('guardArguments', () => {
  /** Runs a query on the reference schema, with root resolvers that only record their arguments. */
  function run(text: string, variableValues = {}) {
    const schema = contractTrackerSchema();
    let seen: unknown;
    for (const type of [schema.getQueryType()!, schema.getMutationType()!]) {
      for (const field of Object.values(type.getFields())) {
        field.resolve = (_row, args) => {
          seen = args;
          return {};
        };
      }
    }
    guardArguments(schema, () => NOW);
    const result = execute({ schema, document: parse(text), variableValues }) as {
      errors?: readonly GraphQLError[];
    };
    const original = result.errors?.map(({ originalError }) => originalError).find((e) => e instanceof TrackerError);
    return {
      args: seen as Record<string, never>,
      tree: original?.validationErrors,
      presentable: original?.presentable,
    };
  }

  it.each([
    ['first: 251', 'first', 'max', 'first must not be greater than 250'],
    ['first: 0', 'first', 'min', 'first must not be less than 1'],
    ['last: 251', 'last', 'max', 'last must not be greater than 250'],
    ['last: -1', 'last', 'min', 'last must not be less than 1'],
    ['after: "x"', 'after', 'isCursor', 'after is not a valid cursor'],
    ['before: "e30"', 'before', 'isCursor', 'before is not a valid cursor'],
  ])('refuses %s', (argument, property, constraint, message) => {
    const { tree, presentable } = run(`{ issues(${argument}) { nodes { id } } }`);
    expect(tree).toEqual([{ property, children: [], constraints: { [constraint]: message } }]);
    expect(presentable).toBe(`${message}.`);
  });

  it('accepts minimum and maximum page sizes, nulls, and valid cursors', () => {
    const cursor = encodeCursor({ k: ['2026-01-01T00:00:00.000Z'], id: ID });
    expect(run(`{ issues(first: 250, last: 1, after: "${cursor}", before: null) { nodes { id } } }`).args).toEqual({
      first: 250,
      last: 1,
      after: cursor,
      before: null,
    });
  });

  it('gives the path to an invalid UUID in a filter', () => {
    expect(run('{ issues(filter: { team: { id: { eq: "DEV" } } }) { nodes { id } } }').tree).toEqual([
      {
        property: 'team',
        children: [
          {
            property: 'id',
            children: [{ property: 'eq', children: [], constraints: { isUuid: 'eq must be a UUID' } }],
          },
        ],
      },
    ]);
  });

  it('checks ids in and, or and lists', () => {
    const { tree, presentable } = run(
      `{ comments(filter: { or: [{ body: { eq: "x" } }, { id: { in: ["${ID}", "b"] } }] }) { nodes { id } } }`,
    );
    expect(tree).toMatchObject([
      { property: 'or', children: [{ property: '1', children: [{ property: 'id', children: [{ property: 'in' }] }] }] },
    ]);
    expect(presentable).toBe('each value in in must be a UUID.');
  });

  it('requires no UUID of issues and projects, which have other identifiers too, nor of null', () => {
    const filter =
      '{ id: { eq: "ENG-1" }, project: { id: { in: ["moon-1"] } }, state: { id: { eq: null } }, team: null }';
    expect(run(`{ issues(filter: ${filter}) { nodes { id } } }`).tree).toBeUndefined();
  });

  it('refuses U+0000 in compared and searched values, and overly deep filters', () => {
    const query = 'query Q($f: IssueFilter) { issues(filter: $f) { nodes { id } } }';
    expect(run(query, { f: { title: { in: ['a\0'] } } }).presentable).toBe('in must not contain the character U+0000.');
    expect(run('query Q($t: String!) { searchIssues(term: $t) { totalCount } }', { t: '\0' }).tree).toHaveLength(1);
    let deep: object = { title: { eq: 'x' } };
    for (let level = 0; level < 60; level += 1) deep = { and: [deep] };
    expect(run(query, { f: deep }).presentable).toBe('and must not be nested deeper than 50 levels.');
  });

  it('accepts one key per sort object', () => {
    expect(run('{ issues(sort: [{ title: {} }, { priority: {}, dueDate: {} }]) { nodes { id } } }').tree).toEqual([
      {
        property: 'sort',
        children: [
          { property: '1', children: [], constraints: { oneKey: 'each value in sort must have one key only' } },
        ],
      },
    ]);
    expect(run('{ issues(sort: [{ title: {}, priority: null }]) { nodes { id } } }').tree).toBeUndefined();
  });

  it('validates ids among the arguments and converts them to lower case', () => {
    expect(run('mutation { issueAddLabel(id: "ENG-1", labelId: "bug") { success } }').presentable).toBe(
      'labelId must be a UUID.',
    );
    expect(run(`mutation { issueAddLabel(id: "ENG-1", labelId: "${ID.toUpperCase()}") { success } }`).args).toEqual({
      id: 'ENG-1',
      labelId: ID,
    });
  });

  it('limits a batch of ids', () => {
    const many = Array.from({ length: 51 }, () => `"${ID}"`).join();
    const update = (ids: string) => run(`mutation { issueBatchUpdate(ids: [${ids}], input: {}) { success } }`);
    expect(update(many).presentable).toBe('ids must contain no more than 50 elements.');
    expect(update('').presentable).toBe('ids must contain at least 1 elements.');
    expect(update(`"${ID}"`).tree).toBeUndefined();
  });
});
