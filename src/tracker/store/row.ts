import { Column, PrimaryColumn, getMetadataArgsStorage, type ColumnOptions, type ColumnType } from 'typeorm';

/*
 * What the tracker's row classes are made of. A property is named like the field of the wire where there is one, its
 * column the same in snake_case. Rows refer to each other by id.
 */

export type RowClass<R extends object = object> = abstract new () => R;

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A column named like its property. Moments are `timestamptz` (Date), days `date` (`YYYY-MM-DD`). */
export function Stored(type: ColumnType, options: ColumnOptions = {}): PropertyDecorator {
  return (target, property) => Column({ type, name: snakeCase(String(property)), ...options })(target, property);
}

export const nullable = { nullable: true };

const derivedColumns = new Map<RowClass, Map<string, (alias: string) => string>>();

/** A property that is made from other tables: read with the row, never written. */
export function Derived(sql: (alias: string) => string): PropertyDecorator {
  return (target, property) => {
    const row = target.constructor as unknown as RowClass;
    const derived = derivedColumns.get(row) ?? new Map<string, (alias: string) => string>();
    derivedColumns.set(row, derived.set(String(property), sql));
  };
}

export abstract class Row {
  @PrimaryColumn('uuid') id: string;
  @Stored('timestamptz') createdAt: Date;
  @Stored('timestamptz') updatedAt: Date;
}

/** What belongs to an organization; all but the organization itself. */
export abstract class OwnedRow extends Row {
  @Stored('uuid') organizationId: string;
}

function ancestry(row: RowClass): RowClass[] {
  const chain: RowClass[] = [];
  for (let at: RowClass | null = row; at?.prototype; at = Object.getPrototypeOf(at) as RowClass | null) chain.push(at);
  return chain;
}

/** The table that a row class stands for. */
export function tableOf(row: RowClass): string {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === row)?.name;
  if (table === undefined) throw new Error(`${row.name} is no row class`);
  return table;
}

const selectLists = new Map<RowClass, Map<string, string>>();

/** The select list that makes a row of this class: `i.id AS "id", i.created_at AS "createdAt", …` */
export function columnsOf(row: RowClass, alias: string): string {
  const ofRow = selectLists.get(row) ?? new Map<string, string>();
  selectLists.set(row, ofRow);
  let columns = ofRow.get(alias);
  if (columns === undefined) ofRow.set(alias, (columns = makeSelectList(row, alias)));
  return columns;
}

function makeSelectList(row: RowClass, alias: string): string {
  const stored = [...storedColumns(row)].map(([property, { column, cast }]) =>
    // the driver would make a local midnight of a day
    [cast === 'date' ? `${alias}.${column}::text` : `${alias}.${column}`, property],
  );
  const derived = [...(derivedColumns.get(row) ?? [])].map(([property, sql]) => [sql(alias), property]);
  return [...stored, ...derived].map(([sql, property]) => `${sql} AS "${property}"`).join(', ');
}

/** Property → column of what is stored, for INSERT and UPDATE statements made from a change's keys. */
export function storedColumns(row: RowClass): ReadonlyMap<string, { column: string; cast: string }> {
  return new Map(
    getMetadataArgsStorage()
      .columns.filter((column) => ancestry(row).includes(column.target as RowClass))
      .map(({ propertyName, options }) => [
        propertyName,
        {
          column: options.name ?? snakeCase(propertyName),
          cast: `${String(options.type)}${options.array ? '[]' : ''}`,
        },
      ]),
  );
}
