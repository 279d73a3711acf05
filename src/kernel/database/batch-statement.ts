import { SANDBOX_LOCK } from './sandbox-lock.js';
import { statement, type Keeps, type Statement } from './statement.js';

type ColumnType = 'text' | 'bigint' | 'boolean';

/** A statement that does the same for every row of a batch. Only what is hot is worth one. */
export interface BatchStatement<C extends string> extends Statement {
  /** Names of a row's columns, in the order of the statement's parameters. */
  readonly columns: readonly C[];
  /**
   * The same for rows of several tenants: it waits for no lock, and answers `again`, or nothing where the tenant is being
   * reset, for a row for which it would have to.
   */
  readonly shared: Statement;
}

/** Values that every row of a batch has, besides the columns of its statement. */
export const CALL_COLUMNS = {
  tenant_id: 'bigint',
  clock: 'bigint',
  shift: 'bigint',
  cause: 'text',
  draw: 'text',
} as const;

export type CallColumn = keyof typeof CALL_COLUMNS;

/**
 * Declares a batch statement. Its text begins with the CTE `req`: the rows by their columns, those of `CALL_COLUMNS`
 * (`clock` is for `sqlNowMicros`, `shift` for `events.clock`, `draw` for `events.draw`) and `n`, their number from 1.
 * @param text `lock` ends its selects that lock rows; a row that is there and was not locked answers `again`
 * @param options as of `statement`
 */
export function batchStatement<C extends string>(
  name: string,
  columns: Readonly<Record<C, ColumnType>>,
  text: (req: string, lock: string) => string,
  options: { readonly keeps?: Keeps } = {},
): BatchStatement<C | CallColumn> {
  const all = Object.entries<ColumnType>({ ...columns, ...CALL_COLUMNS });
  const names = all.map(([column]) => column);
  const req = (where: string): string => `req AS MATERIALIZED (
     SELECT * FROM unnest(${all.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
       WITH ORDINALITY AS r (${names.join(', ')}, n)${where})`;
  const isFree = ` WHERE pg_try_advisory_xact_lock_shared(${SANDBOX_LOCK}, r.tenant_id::integer)`;
  const lock = 'FOR NO KEY UPDATE';
  return {
    ...statement(name, text(req(''), lock), options),
    columns: names as (C | CallColumn)[],
    shared: statement(`${name}_shared`, text(req(isFree), `${lock} SKIP LOCKED`), options),
  };
}
