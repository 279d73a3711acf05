/** A row as it is stored, under the names of its columns. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** What stands behind an id: a channel, a person, a state; undefined when nobody knows it. */
export type NameOf = (id: unknown) => string | undefined;

/** A kind of thing that a test asks about after it ran, and how its stored rows read on the wire. */
export interface SandboxEntity {
  /** As a test calls it: `message`. Several tables may hold things of one name. */
  readonly name: string;
  readonly table: string;
  /** Columns that change by themselves: a row that differs in these alone counts as unchanged. */
  readonly follows?: readonly string[];
  /** Shown fields that follow from others and are not listed as changed. */
  readonly quiet?: readonly string[];
  /** The row as the API shows it, with names beside ids and without secrets; null when it is no such thing. */
  show(row: StoredRow, nameOf: NameOf): Record<string, unknown> | null;
}

/** A name to stand beside its id, where there is one. */
export const named = (field: string, name: string | undefined): Record<string, string> =>
  name === undefined ? {} : { [field]: name };
