import type { Tx } from '../../../kernel/database/db.js';
import { type Declared, declaredEntities } from '../../../tracker/entity/declare.js';
import { type SeedShape, shapesOf } from '../../../tracker/entity/seed-shapes.js';
import { thingsToExport } from '../../../tracker/entity/seeds.queries.js';
import type { EntityKey } from '../../../tracker/store/entity-rows.js';
import { namedFirst, withNamesFor, wordFor } from '../names-in-json.js';
import { said, uniqueName } from './names-out.js';

type Json = Record<string, unknown>;

/** Of names whose declaration says no other length. */
const NAME_MAX = 80;

interface ThingRow extends Json {
  id: string;
  name?: unknown;
  createdAt: Date;
}

/** The name in a document of what a row refers to; undefined: the document does not hold it. */
export type NameOut = (entity: EntityKey, id: string) => string | undefined;

/** What JSON of the document has for an id: `<label:ENG/Bug>`; undefined: the document does not hold what has it. */
export type WordOut = (id: string) => string | undefined;

/** The declared things of a document: the lists that belong to an object, by its id. */
export class ThingsOut {
  private readonly lists = new Map<string, Json>();
  /** What things hold themselves is added when they are read. */
  private readonly ids = new Map<Json, string>();
  /** The names in the document, by ids. */
  readonly named = new Map<string, string>();
  /** The time of the newest one that a document dates, in microseconds. */
  newest = 0;

  /** The lists of an object; of the organization without an id. */
  of(id = ''): Readonly<Json> {
    const lists = Object.entries(this.lists.get(id) ?? {});
    return Object.fromEntries(lists.map(([as, list]) => [as, Array.isArray(list) ? list.map(this.whole) : list]));
  }

  private readonly whole = (thing: Json): Json => {
    const id = this.ids.get(thing);
    return id === undefined ? thing : { ...thing, ...this.of(id) };
  };

  /** @param own the id of the thing */
  add(id: string, { as, map, names, fields }: SeedShape, thing: Json, own: string): void {
    this.ids.set(thing, own);
    const nameOf = (property: string) => fields.find((field) => field.property === property)?.name as string;
    const lists = this.lists.get(id) ?? {};
    const there = lists[as];
    const one = names && thing[nameOf(names.property)];
    const all = map
      ? added((there ?? {}) as Record<string, unknown[]>, String(thing[nameOf(map.key)]), thing[nameOf(map.names)])
      : names?.isOne
        ? one
        : [...((there ?? []) as unknown[]), one ?? thing];
    this.lists.set(id, { ...lists, [as]: all });
  }
}

const added = (map: Record<string, unknown[]>, key: string, name: unknown) => ({
  ...map,
  [key]: [...(map[key] ?? []), name],
});

export async function exportThings(
  tx: Tx,
  organizationId: string,
  options: { ids: boolean; nameOf: NameOut; wordOf: WordOut },
): Promise<ThingsOut> {
  const out = new ThingsOut();
  const words = new Map<string, string>();
  const wordOf: WordOut = (id) => options.wordOf(id) ?? words.get(id);
  // what was declared before has a name that others may refer to it by
  const { named } = out;
  const nameOf: NameOut = (entity, id) => options.nameOf(entity, id) ?? named.get(id);
  for (const entity of namedFirst(declaredEntities())) {
    const shapes = shapesOf(entity);
    if (shapes.length === 0) continue;
    const shapeOf = (row: ThingRow): SeedShape | undefined =>
      shapes.find(({ under }) => under === undefined || typeof row[under] === 'string');
    const rows = toldApart(await tx.query<ThingRow>(thingsToExport(entity), [organizationId]), shapeOf);
    // those of one kind may name each other
    for (const { id, name, projectId } of rows) {
      if (typeof name !== 'string') continue;
      named.set(id, name);
      if (entity.name === 'ProjectLabel') words.set(id, wordFor('project_label', name));
      if (entity.name === 'ProjectStatus') words.set(id, wordFor('project_status', name));
      if (entity.name === 'ProjectMilestone' && wordOf(String(projectId)) !== undefined)
        words.set(id, wordFor('milestone', nameOf('Project', String(projectId)) as string, name));
    }
    for (const row of rows) {
      const isImplied = entity.seeds[0]?.isImplied as ((one: object) => boolean) | undefined;
      if (!options.ids && isImplied?.(row)) continue;
      const shape = shapeOf(row);
      const thing = shape && exported(row, entity, shape, { ids: options.ids, nameOf, wordOf });
      if (!shape || !thing) continue;
      out.add(shape.under === undefined ? '' : (row[shape.under] as string), shape, thing, row.id);
      if (shape.isDated) out.newest = Math.max(out.newest, row.createdAt.getTime() * 1000);
    }
  }
  return out;
}

/** Where a list holds no two of a name, but the organization does, the later ones have a number after theirs. */
function toldApart(rows: readonly ThingRow[], shapeOf: (row: ThingRow) => SeedShape | undefined): readonly ThingRow[] {
  const taken = new Map<unknown, Set<string>>();
  return rows.map((row) => {
    const { unique, under, fields } = shapeOf(row) ?? {};
    if (unique !== 'name' || typeof row.name !== 'string') return row;
    const list = under === undefined ? '' : row[under];
    const names = taken.get(list) ?? new Set();
    taken.set(list, names);
    const max = fields?.find(({ property }) => property === 'name')?.max ?? NAME_MAX;
    return { ...row, name: uniqueName(row.name, names, max) };
  });
}

/** Undefined where the document does not hold what it must name. */
function exported(
  row: ThingRow,
  { fields }: Declared,
  shape: SeedShape,
  { ids, nameOf, wordOf }: { ids: boolean; nameOf: NameOut; wordOf: WordOut },
): Json | undefined {
  const values: Json = {};
  for (const { property, name, refersTo, isRequired, token, hasNames } of shape.fields) {
    // what is stored is a hash
    if (token !== undefined) continue;
    const value = hasNames && !ids ? withNamesFor(row[property], wordOf) : row[property];
    const known =
      refersTo && typeof value === 'string'
        ? nameOf(refersTo, value)
        : refersTo && Array.isArray(value)
          ? (value as string[]).flatMap((id) => nameOf(refersTo, id) ?? [])
          : undefined;
    if (refersTo && isRequired && known === undefined) return undefined;
    const isDefault = JSON.stringify(value) === JSON.stringify(fields[property]?.options.default);
    values[name] = refersTo ? known : isDefault ? undefined : value instanceof Date ? value.toISOString() : value;
  }
  // a document cannot name what it is on
  if (shape.oneOf && !shape.fields.some(({ property, name }) => shape.oneOf?.includes(property) && values[name]))
    return undefined;
  return said({ id: ids ? row.id : undefined, ...values, at: shape.isDated ? row.createdAt.toISOString() : undefined });
}
