/**
 * The row class of each entity that an organization holds, by its name on the wire. Each entity's folder adds its own:
 * `declare module './entity-rows.js' { interface EntityRows { Cycle: Cycle } }`.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by declaration merging
export interface EntityRows {}

export type EntityKey = keyof EntityRows;
