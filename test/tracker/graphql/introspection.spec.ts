import {
  executeSync,
  getIntrospectionQuery,
  getVariableValues,
  Kind,
  parse,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { Introspection, mayIntrospect, partsOf } from '../../../src/tracker/graphql/introspection.js';
import { useApp } from '../../support/app.js';
import { contractTrackerSchema } from '../../support/tracker-schema.js';

const app = useApp();
const schema = contractTrackerSchema();

const parsed = (source: string) => {
  const document = parse(source);
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  return { document, operation: operation as OperationDefinitionNode };
};

/** The answer of this server and that of graphql-js to the schema fields of a document. */
function both(source: string, variables: Record<string, unknown> = {}, limit = Infinity) {
  const { document, operation } = parsed(source);
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const { introspection } = partsOf(document, operation);
  if (!introspection) throw new Error('nothing is asked of the schema');
  const ours = new Introspection(schema, document, coerced, limit).answer(introspection);
  const theirs = executeSync({ schema, document, variableValues: variables }).data;
  return { ours: JSON.parse(JSON.stringify(ours)) as unknown, theirs: JSON.parse(JSON.stringify(theirs)) as unknown };
}

describe('introspection', () => {
  it.each([
    ["an IDE's document", getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }), {}],
    [
      'aliases, arguments and fields that are asked for twice',
      `{ a: __type(name: "Issue") { name fields { name } fields(includeDeprecated: false) { type { kind } } }
         b: __type(name: "Nothing") { name } __type(name: "IssueFilter") { inputFields { name defaultValue } } }`,
      {},
    ],
    [
      'fragments, directives and variables',
      `query Q($name: String!, $no: Boolean = false, $yes: Boolean!) {
         ...Root
         ... on Query @include(if: $yes) { t: __type(name: $name) { ...T kind @skip(if: $yes) } }
         s: __schema @include(if: $no) { types { name } }
       }
       fragment Root on Query { __schema { __typename queryType { ...T } directives { name locations args { ...V } } } }
       fragment T on __Type { name kind ofType { name } enumValues(includeDeprecated: true) { name isDeprecated } }
       fragment V on __InputValue { name type { name ofType { name } } }`,
      { name: 'Team', yes: true },
    ],
  ])('answers as graphql-js does: %s', (_, source, variables) => {
    const { ours, theirs } = both(source, variables);
    expect(ours).toEqual(theirs);
  });

  it('finds each type once, however many paths lead to it', () => {
    const below = (depth: number): string =>
      depth === 0 ? 'name' : `name fields { name type { ${below(depth - 1)} ofType { ${below(depth - 1)} } } }`;
    const { document, operation } = parsed(`{ __schema { types { ${below(5)} } } }`);
    const { introspection } = partsOf(document, operation);
    // written out, the answer would exceed the memory
    const found = new Introspection(schema, document, {}, 50_000_000).answer(introspection as never);
    expect(found).toHaveProperty('__schema.types.0.name');
  });

  it('refuses an answer that will certainly be too large', () => {
    expect(() => both(getIntrospectionQuery(), {}, 10_000)).toThrow('Query too complex');
  });

  it('distinguishes documents that request the schema from those that name types', () => {
    expect(['{ __schema { types { name } } }', '{ a: __type(name: "A") { name } }'].map(mayIntrospect)).toEqual([
      true,
      true,
    ]);
    expect(mayIntrospect('{ viewer { __typename } }')).toBe(false);
  });

  it('works beside other fields, and is refused with variables that do not fit', async () => {
    const org = await app.organization();
    const { body } = await org.graphql(
      'query($name: String!) { viewer { name } __type(name: $name) { name } ...R } fragment R on Query { organization { urlKey } __schema { queryType { name } } }',
      { name: 'Issue' },
    );
    expect(body).toEqual({
      data: {
        viewer: { name: expect.any(String) },
        organization: { urlKey: expect.any(String) },
        __type: { name: 'Issue' },
        __schema: { queryType: { name: 'Query' } },
      },
    });
    const bad = await org.graphql('query($name: String!) { __type(name: $name) { name } }', { name: 1 });
    expect(bad.status).toBe(400);
    expect(bad.body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});
