/** A stored row, by column names. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** The name of what an id stands for: a channel, a person, a state; undefined when unknown. */
export type NameOf = (id: unknown) => string | undefined;

/** A kind of object that a test can assert on, and how its stored rows look on the wire. */
export interface SandboxEntity {
  /** The name that tests use: `message`. Several tables may hold objects of one name. */
  readonly name: string;
  readonly table: string;
  /** Columns that change by themselves: a row that differs only in these counts as unchanged. */
  readonly follows?: readonly string[];
  /** Shown fields that are derived from others and not listed as changed. */
  readonly quiet?: readonly string[];
  /** Several rows may be one object, which is there as long as any of them is. */
  readonly isMerged?: true;
  /** The row as the API shows it, with names besides ids and without secrets; null when it is not such an object. */
  show(row: StoredRow, nameOf: NameOf): Record<string, unknown> | null;
}

/** A name to show with its id, if there is one. */
export const named = (field: string, name: string | undefined): Record<string, string> =>
  name === undefined ? {} : { [field]: name };
