import type { Tx } from '../../kernel/database/db.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { type Declared, declaredEntities } from '../../tracker/entity/declare.js';
import { isStored } from '../../tracker/entity/fields.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';
import { requireAllInserted, type TrackerSeedContext } from './known-tracker.js';
import type { SeedThing } from './seed-types.js';

/** Rows per statement. */
const AT_ONCE = 5_000;

/** Things of a document, and what they are in: undefined for the organization. */
export interface ThingsWithin {
  readonly things: readonly SeedThing[];
  readonly parentId?: string;
  /** The team by which labels, states and cycles are found. */
  readonly teamId?: string;
}

/** The id of what a document names; undefined: there is none. */
export type FindNamed = (entity: EntityKey, name: string, within: ThingsWithin) => string | undefined;

/** A row of a thing, before it is stored. */
export type ThingRow = Record<string, unknown> & { id: string; path: string };

/** The rows of things of one kind, in the order of the document. Faults are added to `faults`. */
export function rowsOfThings(
  entity: Declared,
  lists: readonly ThingsWithin[],
  context: { seed: TrackerSeedContext; nowMs: number; find: FindNamed; faults: string[] },
): ThingRow[] {
  const { seed, nowMs, find, faults } = context;
  const stored = Object.entries(entity.fields);
  return lists.flatMap((within) => {
    const own = within.things.filter((thing) => thing.entity === entity.name);
    return own.map((thing, i) => {
      const at = new Date(thing.at === undefined ? nowMs - own.length + i : thing.at / 1000);
      // every row has the same columns
      const empty = stored.flatMap(([property, field]) =>
        isStored(field) ? [[property, field.options.default ?? null] as const] : [],
      );
      const named = thing.names.flatMap(({ property, refersTo, name, path }) => {
        const id = find(refersTo, name, within);
        if (id === undefined) faults.push(`${path}: nothing has the name "${name}"`);
        return [[property, id] as const];
      });
      return {
        id: thing.id ?? newUuid(),
        organizationId: seed.organizationId,
        ...Object.fromEntries(empty),
        ...(thing.under !== undefined && { [thing.under]: within.parentId }),
        ...entity.seeds
          .find(({ under }) => under === thing.under)
          ?.filled?.({ index: i, creatorId: seed.creatorId, at }),
        ...thing.values,
        ...Object.fromEntries(named),
        createdAt: at,
        updatedAt: at,
        path: thing.path,
      };
    });
  });
}

/** @throws RestError 409 id_taken, with the path */
export async function storeThings(tx: Tx, entity: Declared, rows: readonly ThingRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const part = rows.slice(from, from + AT_ONCE);
    await requireAllInserted(insertMany(tx, entity.row, part), part.length, part[0]?.path);
  }
}

/** Kinds that rules of their own store (cycles have numbers of their team); all others are stored as they are. */
export const plainThings = (except: readonly EntityKey[]): readonly Declared[] =>
  declaredEntities().filter(({ name, seeds }) => seeds.length > 0 && !except.includes(name));
