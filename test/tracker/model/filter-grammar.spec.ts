import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import '../../../src/tracker/entities.js';
import { entityOf } from '../../../src/tracker/store/define-entity.js';
import type { EntityKey } from '../../../src/tracker/store/entity-rows.js';
import { compileFilter, type Filter } from '../../../src/tracker/query/filter/compile.js';
import { page } from '../../../src/tracker/query/page.js';
import { QueryScope } from '../../../src/tracker/store/query-scope.js';
import type { Viewer } from '../../../src/tracker/access/viewer.js';
import { TestOrganization, useStore } from './tracker-data.js';

const schema = buildSchema(readFileSync(new URL('../../contract/fixtures/tracker.graphql', import.meta.url), 'utf8'));

const samples: Record<string, unknown> = {
  TeamVisibility: 'public',
  String: "a'b%_\\",
  Float: 1.5,
  Boolean: true,
  ID: '3f2b1c9a-0d4e-4f5a-8b6c-7d8e9f0a1b2c',
  DateTimeOrDuration: new Date('2026-01-02T03:04:05.678Z'),
  TimelessDateOrDuration: '2026-01-02',
  NotificationSubscriptionType: 'team',
  ReleasePipelineType: 'scheduled',
  ReleaseStageType: 'started',
};

const DEPTH = 2;

/** One filter for every path of keys to the key of a comparator, with relations followed to this depth. */
function* filtersOf(type: GraphQLInputObjectType, depth: number): Generator<Filter> {
  for (const [name, field] of Object.entries(type.getFields())) {
    for (const value of valuesOf(field.type, depth)) yield { [name]: value };
  }
}

function* valuesOf(type: GraphQLInputType, depth: number): Generator<unknown> {
  const named = getNamedType(type) as GraphQLInputType;
  const isList = isListType(getNullableType(type));
  if (!isInputObjectType(named)) {
    const sample = samples[named.toString()];
    if (sample === undefined) throw new Error(`no sample of ${named.toString()}`);
    yield isList ? [sample, sample] : sample;
    if (isList) yield [];
    if (named.toString() === 'Boolean') yield false;
    return;
  }
  if (depth === 0) return;
  if (named.name.endsWith('Comparator')) {
    // near the root every operator, deeper only the first two of each comparator, as they share their code
    const comparators = [...filtersOf(named, isList ? depth - 1 : depth)];
    for (const comparator of depth === DEPTH || isList ? comparators : comparators.slice(0, 2)) {
      yield isList ? [comparator, comparator] : comparator;
    }
    return;
  }
  for (const filter of filtersOf(named, depth - 1)) yield isList ? [filter, filter] : filter;
}

const filtered: Partial<Record<EntityKey, string>> = {
  AgentActivity: 'AgentActivityFilter',
  Attachment: 'AttachmentFilter',
  Comment: 'CommentFilter',
  Customer: 'CustomerFilter',
  CustomerNeed: 'CustomerNeedFilter',
  Cycle: 'CycleFilter',
  Document: 'DocumentFilter',
  Initiative: 'InitiativeFilter',
  InitiativeUpdate: 'InitiativeUpdateFilter',
  Issue: 'IssueFilter',
  IssueLabel: 'IssueLabelFilter',
  Notification: 'NotificationFilter',
  Project: 'ProjectFilter',
  ProjectLabel: 'ProjectLabelFilter',
  ProjectUpdate: 'ProjectUpdateFilter',
  Release: 'ReleaseFilter',
  Team: 'TeamFilter',
  User: 'UserFilter',
  WorkflowState: 'WorkflowStateFilter',
};

/** Filters of what can only be asked for by its owner: the entity that has it, and the field. */
const inCollections: Record<string, [EntityKey, string]> = {
  InitiativeLabelFilter: ['Initiative', 'labels'],
  InitiativeUpdatesFilter: ['Initiative', 'initiativeUpdates'],
  ProjectUpdatesFilter: ['Project', 'projectUpdates'],
  ReactionFilter: ['Issue', 'reactions'],
};

/** Filters of lists that others do not lead to. */
const ofLists: Record<string, EntityKey> = {
  CustomViewFilter: 'CustomView',
  ReleaseNoteFilter: 'ReleaseNote',
  TemplateFilter: 'Template',
};

describe('the filter grammar', () => {
  const store = useStore();
  let viewer: Viewer;
  beforeAll(async () => {
    const organization = await TestOrganization.create(store);
    const hidden = await organization.team({ private: true });
    viewer = organization.viewer(await organization.user(), { hiddenTeamIds: [hidden.id] });
  });

  it.each(Object.entries(filtered))('accepts every key of the filters on %s', async (entity, typeName) => {
    const { table, alias } = entityOf(entity as EntityKey);
    const run = async (filters: Filter[]) => {
      const scope = new QueryScope(viewer, new Date());
      const conditions = filters.map((filter) => `(${compileFilter(entity as EntityKey, filter, scope, alias)})`);
      await store.db.readText(`SELECT count(*) FROM ${table} ${alias} WHERE ${conditions.join(' OR ')}`, scope.values);
    };
    const filters = [...filtersOf(schema.getType(typeName) as GraphQLInputObjectType, DEPTH)];
    for (let i = 0; i < filters.length; i += 10) await run(filters.slice(i, i + 10));
    expect(filters.length).toBeGreaterThan(80);
  });

  it('is covered completely: every filter type is reached from a root filter within that depth', () => {
    const all = Object.values(schema.getTypeMap())
      .filter((type) => isInputObjectType(type) && type.name.endsWith('Filter'))
      .map((type) => type.name);
    const reached = new Set<string>();
    for (const name of Object.values(filtered)) {
      reached.add(name);
      for (const field of Object.values((schema.getType(name) as GraphQLInputObjectType).getFields())) {
        reached.add(getNamedType(field.type).name);
      }
    }
    const others = [...Object.keys(inCollections), ...Object.keys(ofLists)].toSorted();
    expect(all.filter((name) => !reached.has(name))).toEqual(others);
  });

  it.each(Object.entries(inCollections))('accepts every key of %s', async (name, [entity, field]) => {
    for (const some of filtersOf(schema.getType(name) as GraphQLInputObjectType, 1)) {
      await page(store.db, entity, { viewer, now: new Date(), args: { filter: { [field]: { some } } } });
    }
  });

  it.each(Object.entries(ofLists))('accepts every key of %s', async (name, entity) => {
    for (const filter of filtersOf(schema.getType(name) as GraphQLInputObjectType, 1)) {
      await page(store.db, entity, { viewer, now: new Date(), args: { filter } });
    }
  });

  it('accepts every key of ProjectCollectionFilter, which only project statuses have', async () => {
    for (const projects of filtersOf(schema.getType('ProjectCollectionFilter') as GraphQLInputObjectType, 1)) {
      await page(store.db, 'Project', { viewer, now: new Date(), args: { filter: { status: { projects } } } });
    }
  });

  it('refuses excessively large filters before building SQL', async () => {
    let deep: object = { title: { eq: 'x' } };
    for (let i = 0; i < 45; i++) deep = { parent: deep };
    const wide = { or: Array.from({ length: 2_000 }, () => ({ title: { eq: 'x' } })) };
    const tangled = { or: Array.from({ length: 61 }, () => ({ state: { name: { eq: 'x' } } })) };
    const before = store.statements.length;
    for (const filter of [deep, wide, tangled]) {
      const answer = page(store.db, 'Issue', { viewer, now: new Date(), args: { filter } });
      await expect(answer).rejects.toMatchObject({ kind: 'argumentValidation' });
    }
    expect(store.statements.length).toBe(before);
  });

  it('gives the path of a value that is no UUID', async () => {
    const filter = { team: { id: { eq: 'DEV' } } };
    const eq = { property: 'eq', children: [], constraints: { isUuid: 'eq must be a UUID' } };
    await expect(page(store.db, 'Issue', { viewer, now: new Date(), args: { filter } })).rejects.toMatchObject({
      presentable: 'eq must be a UUID.',
      validationErrors: [
        { property: 'filter', children: [{ property: 'team', children: [{ property: 'id', children: [eq] }] }] },
      ],
    });
  });

  it('is planned within two seconds for the deepest accepted filter', async () => {
    let deep: object = { title: { eq: 'x' } };
    for (let i = 0; i < 36; i++) deep = { parent: deep };
    const started = performance.now();
    await page(store.db, 'Issue', { viewer, now: new Date(), args: { filter: deep } });
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
