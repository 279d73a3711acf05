import type { Tx } from '../../kernel/database/db.js';
import { snakeCase } from '../../kernel/database/store-names.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { type Declared, declaredEntities } from '../../tracker/entity/declare.js';
import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import { isStored } from '../../tracker/entity/fields.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';
import { requireAllInserted, type TrackerSeedContext } from './known-tracker.js';
import { withIdsFor } from './names-in-json.js';
import type { FindNamed, ThingsWithin } from './things-within.js';

/** Rows per statement. */
const AT_ONCE = 5_000;

/** A row of a thing, before it is stored. */
export type ThingRow = Record<string, unknown> & {
  id: string;
  path: string;
  /** Set if it is there: the id that it has, and the columns that the document says. */
  completes?: { readonly id: string; readonly columns: Record<string, unknown> };
};

/** The rows of things of one kind, in the order of the document. Faults are added to `faults`. */
export function rowsOfThings(
  entity: Declared,
  lists: readonly ThingsWithin[],
  context: {
    seed: TrackerSeedContext;
    nowMs: number;
    find: FindNamed;
    faults: string[];
    /** Gets the id of each thing. */
    ids?: Map<SeedThing, string>;
  },
): ThingRow[] {
  const { seed, nowMs, find, faults, ids = new Map<SeedThing, string>() } = context;
  const stored = Object.entries(entity.fields);
  const knownAs = new Map<SeedThing, string>();
  // those of one kind may name each other
  const byName = new Map<unknown, string>();
  for (const within of lists) {
    for (const thing of within.things) {
      if (thing.entity !== entity.name) continue;
      const place = entity.seeds.find(({ under }) => under === thing.under);
      const { name } = thing.values;
      const known = place?.isFound && typeof name === 'string' ? find(entity.name, name, within) : undefined;
      const id = thing.id ?? known ?? newUuid();
      ids.set(thing, id);
      if (known !== undefined) knownAs.set(thing, known);
      if (name !== undefined) byName.set(name, id);
    }
  }
  return lists.flatMap((within) => {
    const own = within.things.filter((thing) => thing.entity === entity.name);
    return own.map((thing, i) => {
      const at = new Date(thing.at === undefined ? nowMs - own.length + i : thing.at / 1000);
      // every row has the same columns
      const empty = stored.flatMap(([property, field]) =>
        isStored(field) ? [[property, field.options.default ?? null] as const] : [],
      );
      const named: Record<string, unknown> = {};
      for (const { property, refersTo, name, path, isListed } of thing.names) {
        const id = (refersTo === entity.name ? byName.get(name) : undefined) ?? find(refersTo, name, within);
        if (id === undefined) faults.push(`${path}: nothing has the name "${name}"`);
        named[property] = isListed ? [...((named[property] ?? []) as unknown[]), id] : id;
      }
      const place = entity.seeds.find(({ under }) => under === thing.under);
      const known = knownAs.get(thing);
      const id = ids.get(thing) as string;
      const values = { ...thing.values };
      for (const [property, { options }] of stored) {
        if (!options.hasNames || values[property] === undefined) continue;
        const path = `${thing.path}.${options.seed || snakeCase(property)}`;
        values[property] = withIdsFor(values[property], path, find, faults);
      }
      return {
        id,
        ...(known !== undefined && {
          completes: { id: known, columns: { id, ...values, ...named } },
        }),
        organizationId: seed.organizationId,
        ...Object.fromEntries(empty),
        ...(thing.under !== undefined && { [thing.under]: within.parentId }),
        ...place?.filled?.({ index: i, creatorId: seed.creatorId, at, values }),
        ...values,
        ...named,
        createdAt: at,
        updatedAt: at,
        path: thing.path,
      };
    });
  });
}

/** @throws RestError 409 id_taken, with the path */
export async function storeThings(tx: Tx, entity: Declared, rows: readonly ThingRow[]): Promise<void> {
  const added = rows.filter(({ completes }) => completes === undefined);
  for (const { completes } of rows) {
    if (!completes) continue;
    const { id, columns } = completes;
    await tx.sql.update(entity.row as new () => object, { id }, columns);
  }
  for (let from = 0; from < added.length; from += AT_ONCE) {
    const part = added.slice(from, from + AT_ONCE);
    await requireAllInserted(insertMany(tx, entity.row, part), part.length, part[0]?.path);
  }
}

/** The entities that things are, or name: their own and those of what they hold. */
export const mentionedIn = (things: readonly SeedThing[]): Set<EntityKey> =>
  new Set(
    things.flatMap((thing) => [
      thing.entity,
      ...thing.names.map(({ refersTo }) => refersTo),
      ...mentionedIn(thing.things),
    ]),
  );

/** Things, and what they hold, by the ids that they get meanwhile. */
export const withinThings = (
  things: readonly SeedThing[],
  ids: ReadonlyMap<SeedThing, string>,
  within?: ThingsWithin,
): ThingsWithin[] =>
  things.flatMap((thing) => {
    if (thing.things.length === 0) return [];
    const own: ThingsWithin = {
      things: thing.things,
      get parentId() {
        return ids.get(thing) as string;
      },
      ...(within && { within }),
    };
    return [own, ...withinThings(thing.things, ids, own)];
  });

/** The ids of all that things are within, the nearest first. */
export const scopeOf = ({ parentId, within }: ThingsWithin): string[] => [
  ...(parentId === undefined ? [] : [parentId]),
  ...(within ? scopeOf(within) : []),
];

/** Things with what their kinds have by themselves. */
export const completedThings = (things: readonly SeedThing[], at: Date): SeedThing[] =>
  things.map((thing) => {
    const place = declaredEntities()
      .find(({ name }) => name === thing.entity)
      ?.seeds.find(({ under }) => under === thing.under);
    const completed = place?.completed ? place.completed(thing, at) : thing;
    return { ...completed, things: completedThings(completed.things, at) };
  });

/** Kinds that rules of their own store (cycles have numbers of their team); all others are stored as they are. */
export const plainThings = (except: readonly EntityKey[]): readonly Declared[] =>
  declaredEntities().filter(({ name, seeds }) => seeds.length > 0 && !except.includes(name));
