import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';

/** Things of a document, and what they are in: undefined for the organization. */
export interface ThingsWithin {
  readonly things: readonly SeedThing[];
  readonly parentId?: string;
  /** The team by which labels, states and cycles are found. */
  readonly teamId?: string;
  /** What they and their list are within. */
  readonly within?: ThingsWithin;
}

/** The id of what a document names; undefined: there is none. */
export type FindNamed = (entity: EntityKey, name: string, within: ThingsWithin) => string | undefined;
