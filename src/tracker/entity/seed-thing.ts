import type { EntityKey } from '../store/entity-rows.js';

/** A thing of a seed document that is read by its declaration. */
export interface SeedThing {
  readonly entity: EntityKey;
  /** The property that names what it is in. */
  readonly under: string | undefined;
  readonly id: string | undefined;
  /** Microseconds. */
  readonly at: number | undefined;
  /** By the row's properties. */
  readonly values: Readonly<Record<string, unknown>>;
  /** References, by the names of what they refer to. */
  readonly names: readonly {
    readonly property: string;
    readonly refersTo: EntityKey;
    readonly name: string;
    readonly path: string;
    /** The property is a list, which these are the names of. */
    readonly isListed?: true;
  }[];
  /** What it holds itself. */
  readonly things: readonly SeedThing[];
  readonly path: string;
}
