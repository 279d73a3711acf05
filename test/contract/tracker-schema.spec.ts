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

  it('has exactly the types of the contract, printed alike', () => {
    expect(typesOf(built)).toEqual(typesOf(contract));
  });

  it.each(ROOTS)('has only root fields of the contract under %s, printed alike', (root) => {
    const ours = fieldLines(built, root);
    expect(fieldLines(contract, root)).toEqual(expect.arrayContaining(ours));
  });

  it('has every root field of the contract', () => {
    const missing = ROOTS.flatMap((root) => {
      const ours = new Set(fieldLines(built, root));
      return fieldLines(contract, root).filter((line) => !ours.has(line));
    });
    expect(missing).toEqual([]);
  });

  it('is compatible with the contract, and the contract with it', () => {
    expect(validateSchema(built)).toEqual([]);
    expect(findBreakingChanges(contract, built)).toEqual([]);
    expect(findBreakingChanges(built, contract)).toEqual([]);
  });

  it('resolves every field that refers to another type of the product', () => {
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

  it('names constants that are fields of their type, and none that a relation answers too', () => {
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
  // Descriptions are ours; the contract has none.
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
