import { Column, Generated, getMetadataArgsStorage, PrimaryColumn, type ColumnOptions } from 'typeorm';
import { snakeCase } from './store-names.js';

/* What hand-written statements need from an entity, its table and columns, taken from its decorators. */

export type RowClass<R extends object = object> = abstract new () => R;

/** Text of ids, keys and hashes: compared byte by byte, whatever the locale of the database. */
export const ExactText = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'text', collation: 'C', ...options });

/** The same, as (part of) the primary key. */
export const ExactKey = (options: Pick<ColumnOptions, 'default'> = {}): PropertyDecorator =>
  PrimaryColumn({ type: 'text', collation: 'C', ...options });

/** A sequence number that the database assigns to rows in the order of their creation. */
export const Numbered =
  (type: 'bigint' | 'integer' = 'bigint'): PropertyDecorator =>
  (target, property) => {
    Generated('increment')(target, property);
    Column({ type, generatedIdentity: 'ALWAYS' })(target, property);
  };

/**
 * Text that the database generates from other columns, as the migration defines. TypeORM's `generatedType` is not used,
 * as it would need a table of its own for the expressions.
 */
export const GeneratedText = (): PropertyDecorator =>
  Column({ type: 'text', nullable: true, insert: false, update: false, select: false });

const derivedColumns = new Map<RowClass, Map<string, (alias: string) => string>>();

/** A property computed from other columns or tables: read with the row, never written. */
export function Derived(sql: (alias: string) => string): PropertyDecorator {
  return (target, property) => {
    const row = target.constructor as unknown as RowClass;
    const derived = derivedColumns.get(row) ?? new Map<string, (alias: string) => string>();
    derivedColumns.set(row, derived.set(String(property), sql));
  };
}

function ancestry(row: RowClass): RowClass[] {
  const chain: RowClass[] = [];
  for (let at: RowClass | null = row; at?.prototype; at = Object.getPrototypeOf(at) as RowClass | null) chain.push(at);
  return chain;
}

/** The table of an entity. */
export function tableOf(row: RowClass): string {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === row)?.name;
  if (table === undefined) throw new Error(`${row.name} is no entity`);
  return table;
}

const selectLists = new Map<RowClass, Map<string, string>>();

/**
 * The select list that makes a row of this class: `i.id AS "id", i.created_at AS "createdAt", …`
 * @param without properties that are left out
 */
export function columnsOf(row: RowClass, alias: string, without: readonly string[] = []): string {
  const ofRow = selectLists.get(row) ?? new Map<string, string>();
  selectLists.set(row, ofRow);
  const key = [alias, ...without].join(' ');
  let columns = ofRow.get(key);
  if (columns === undefined) ofRow.set(key, (columns = makeSelectList(row, alias, without)));
  return columns;
}

function makeSelectList(row: RowClass, alias: string, without: readonly string[]): string {
  const stored = [...storedColumns(row)]
    .filter(([property, { isSelected }]) => isSelected && !without.includes(property))
    // the driver would turn a day into midnight of the local time zone
    .map(([property, { column, cast }]) => [
      cast === 'date' ? `${alias}.${column}::text` : `${alias}.${column}`,
      property,
    ]);
  const derived = [...(derivedColumns.get(row) ?? [])].map(([property, sql]) => [sql(alias), property]);
  return [...stored, ...derived].map(([sql, property]) => `${sql} AS "${property}"`).join(', ');
}

interface StoredColumn {
  readonly column: string;
  readonly cast: string;
  /** False for a column that is not loaded by default (`select: false`). */
  readonly isSelected: boolean;
}

/** Property → column for everything stored, for statements that insert many rows at once. */
export function storedColumns(row: RowClass): ReadonlyMap<string, StoredColumn> {
  return new Map(
    getMetadataArgsStorage()
      .columns.filter((column) => ancestry(row).includes(column.target as RowClass))
      .map(({ propertyName, options }) => [
        propertyName,
        {
          column: options.name ?? snakeCase(propertyName),
          cast: `${String(options.type)}${options.array ? '[]' : ''}`,
          isSelected: options.select !== false,
        },
      ]),
  );
}
