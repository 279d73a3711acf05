import { createHash } from 'node:crypto';
import { groupBy } from '../../kernel/group-by.js';
import { canonicalJson } from '../../kernel/text/canonical-json.js';

/** A stored row, by column names. */
export type Row = Readonly<Record<string, unknown>>;

/** A kind of object of a state: its name there, where its rows are, and its fields by names instead of ids. */
export interface StateEntity<World> {
  readonly name: string;
  readonly table: string;
  /** Whether a row is part of the state; by default each is. */
  readonly holds?: (row: Row, world: World) => boolean;
  /** A field that is undefined is left out. */
  readonly fields: Readonly<Record<string, (row: Row, world: World) => unknown>>;
  /** What stands beside them where ids are asked for. */
  readonly ids?: Readonly<Record<string, (row: Row) => unknown>>;
}

/** `sha256:` and the digest of a text's UTF-8. */
export const sha256Of = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The same of a value's canonical text. */
export const hashOf = (value: unknown): string => sha256Of(canonicalJson(value));

/** The rows of a state by tables, with what looks them up. */
export class StateRows {
  private readonly tables = new Map<string, Row[]>();
  private readonly indexes = new Map<string, Map<unknown, Row>>();

  add(table: string, row: Row): void {
    const rows = this.tables.get(table);
    if (rows) rows.push(row);
    else this.tables.set(table, [row]);
  }

  of(table: string): readonly Row[] {
    return this.tables.get(table) ?? [];
  }

  /** The row of a table with this value in a column, which is unique. */
  by(table: string, column: string, value: unknown): Row | undefined {
    const key = `${table}.${column}`;
    const index = this.indexes.get(key) ?? new Map(this.of(table).map((row) => [row[column], row]));
    this.indexes.set(key, index);
    return index.get(value);
  }

  /** The rows of a table by a value of each. */
  grouped(table: string, keyOf: (row: Row) => string): Map<string, Row[]> {
    return groupBy(this.of(table), keyOf);
  }
}

export const column =
  (name: string) =>
  (row: Row): unknown =>
    row[name];

export const sorted = (names: readonly unknown[]): string[] => names.map(String).sort();
