import { statement, type Statement } from './statement.js';

type ColumnType = 'text' | 'bigint' | 'boolean';

/** A statement that does the same for every row of a batch. */
export interface BatchStatement<C extends string> extends Statement {
  /** Names of a row's columns, in the order of the statement's parameters. */
  readonly columns: readonly C[];
  /**
   * A variant with further CTEs, whose parameters come before its own.
   * @param parts SQL of `untaken` and the CTEs before it, given the number of the first free parameter and the CTE that
   * takes the locks
   */
  taking(name: string, parts: (first: number, after: string) => string): Statement;
}

/** Values that every row of a batch has, besides the columns of its statement. */
export const CALL_COLUMNS = { tenant_id: 'bigint', clock: 'bigint', shift: 'bigint', cause: 'text' } as const;

export type CallColumn = keyof typeof CALL_COLUMNS;

/** No row's take was refused. */
const NOTHING_UNTAKEN = 'untaken AS (SELECT NULL::bigint AS n WHERE false)';

/**
 * Declares a batch statement. Its text begins with the CTE `req`: the rows by their columns, those of `CALL_COLUMNS`
 * (`clock` is for `sqlNowMicros`, `shift` for `events.clock`) and `n`, their number from 1. After the CTE that takes
 * its locks it includes `takes`; a row in `untaken` must change nothing and be answered `untaken`.
 */
export function batchStatement<C extends string>(
  name: string,
  columns: Readonly<Record<C, ColumnType>>,
  text: (req: string, takes: (after: string) => string) => string,
): BatchStatement<C | CallColumn> {
  const all = Object.entries<ColumnType>({ ...columns, ...CALL_COLUMNS });
  const names = all.map(([column]) => column);
  const req = `req AS MATERIALIZED (
     SELECT * FROM unnest(${all.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
       WITH ORDINALITY AS r (${names.join(', ')}, n))`;
  return {
    ...statement(
      name,
      text(req, () => NOTHING_UNTAKEN),
    ),
    columns: names as (C | CallColumn)[],
    taking: (more, parts) =>
      statement(
        `${name}_${more}`,
        text(req, (after) => parts(all.length + 1, after)),
      ),
  };
}
