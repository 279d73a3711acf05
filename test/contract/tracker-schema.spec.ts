import {
  findBreakingChanges,
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  lexicographicSortSchema,
  printType,
  validateSchema,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { attachedRelations, nameOf } from '../../src/tracker/graphql/relations.js';
import { constantsByType } from '../../src/tracker/graphql/schema.js';
import { builtTrackerSchema, contractTrackerSchema } from '../support/tracker-schema.js';

const ROOTS = ['Query', 'Mutation'];

describe('the tracker schema', () => {
  const contract = contractTrackerSchema();
  let built: GraphQLSchema;

  beforeAll(async () => {
    built = lexicographicSortSchema(await builtTrackerSchema());
  });

  it('has exactly the types of the reference, printed alike', () => {
    expect(typesOf(built)).toEqual(typesOf(contract));
  });

  it.each(ROOTS)('has only documented root fields under %s, printed alike', (root) => {
    const ours = fieldLines(built, root);
    expect(fieldLines(contract, root)).toEqual(expect.arrayContaining(ours));
  });

  it('has every documented root field', () => {
    const missing = ROOTS.flatMap((root) => {
      const ours = new Set(fieldLines(built, root));
      return fieldLines(contract, root).filter((line) => !ours.has(line));
    });
    expect(missing).toEqual([]);
  });

  it('is compatible with the reference, and the reference with it', () => {
    expect(validateSchema(built)).toEqual([]);
    expect(findBreakingChanges(contract, built)).toEqual([]);
    expect(findBreakingChanges(built, contract)).toEqual([]);
  });

  it('resolves every field whose type is another entity', () => {
    const related = attachedRelations().filter(({ kind }) => kind === 'type');
    const resolved = related.flatMap(({ types, fields }) =>
      types().flatMap((type) => Object.keys(fields).map((name) => `${nameOf(type)}.${name}`)),
    );
    const constant = Object.entries(constantsByType()).flatMap(([type, values]) =>
      Object.keys(values).map((name) => `${type}.${name}`),
    );
    const entities = new Set(['Comment', 'Cycle', 'Issue', 'IssueLabel', 'Project', 'ProjectStatus', 'Team', 'User']);
    const produced = [...entities, 'Organization', 'TeamMembership', 'Webhook', 'WorkflowState', 'IssueSearchResult'];
    const references = produced.flatMap((type) =>
      Object.values((built.getType(type) as GraphQLObjectType).getFields())
        .filter((field) => entities.has(getNamedType(field.type).name))
        .map((field) => `${type}.${field.name}`),
    );
    expect(references.length).toBeGreaterThan(40);
    expect(references.filter((name) => !resolved.includes(name) && !constant.includes(name))).toEqual([]);
  });

  it('has constants only for fields of their type that no relation resolves', () => {
    for (const [type, constants] of Object.entries(constantsByType())) {
      const fields = Object.keys((built.getType(type) as GraphQLObjectType).getFields());
      expect(fields, type).toEqual(expect.arrayContaining(Object.keys(constants)));
      const added = attachedRelations()
        .filter(({ kind, types }) => kind === 'type' && types().some((of) => nameOf(of) === type))
        .flatMap((relations) => Object.keys(relations.fields));
      expect(added.filter((name) => name in constants)).toEqual([]);
    }
  });
});

function typesOf(schema: GraphQLSchema): Record<string, string> {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return Object.fromEntries(
    types.filter(({ name }) => !ROOTS.includes(name)).map((type) => [type.name, printed(type)]),
  );
}

function printed(type: Parameters<typeof printType>[0]): string {
  // Our types have descriptions, those of the reference have none.
  return printType(type).replaceAll(/^ *"""[\s\S]*?"""\n/gm, '');
}

function fieldLines(schema: GraphQLSchema, root: string): string[] {
  const type = schema.getType(root);
  if (!type) return [];
  return printed(type)
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());
}
