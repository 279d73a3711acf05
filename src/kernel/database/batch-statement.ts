import { statement, type Statement } from './statement.js';

type ColumnType = 'text' | 'bigint' | 'boolean';

/** A statement that can take from allowances. */
export interface TakingStatement extends Statement {
  /**
   * A variant with further CTEs, whose parameters come after its own.
   * @param parts SQL of `untaken` and the CTEs before it, given the number of the first free parameter and the CTE that
   * takes the locks
   */
  taking(name: string, parts: (first: number, after: string) => string): Statement;
}

/** A statement that does the same for every row of a batch. */
export interface BatchStatement<C extends string> extends TakingStatement {
  /** Names of a row's columns, in the order of the statement's parameters. */
  readonly columns: readonly C[];
  /**
   * For a batch of one row, with the row's values as parameters and a take from a bucket: cheaper, as it neither counts
   * nor joins rows. Answers no row, and has done nothing, where only the batch's statement will do.
   */
  readonly lone?: TakingStatement | undefined;
}

/** Values that every row of a batch has, besides the columns of its statement. */
export const CALL_COLUMNS = { tenant_id: 'bigint', clock: 'bigint', shift: 'bigint', cause: 'text' } as const;

export type CallColumn = keyof typeof CALL_COLUMNS;

/** No row's take was refused. */
const NOTHING_UNTAKEN = 'untaken AS (SELECT NULL::bigint AS n WHERE false)';

type StatementText = (req: string, takes: (after: string) => string) => string;

/**
 * Declares a batch statement. Its text begins with the CTE `req`: the rows by their columns, those of `CALL_COLUMNS`
 * (`clock` is for `sqlNowMicros`, `shift` for `events.clock`) and `n`, their number from 1. After the CTE that takes
 * its locks it includes `takes`; a row in `untaken` must change nothing and be answered `untaken`.
 * @param lone the text of `BatchStatement.lone`, whose `req` is the row
 */
export function batchStatement<C extends string>(
  name: string,
  columns: Readonly<Record<C, ColumnType>>,
  text: StatementText,
  lone?: StatementText,
): BatchStatement<C | CallColumn> {
  const all = Object.entries<ColumnType>({ ...columns, ...CALL_COLUMNS });
  const names = all.map(([column]) => column);
  const req = `req AS MATERIALIZED (
     SELECT * FROM unnest(${all.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
       WITH ORDINALITY AS r (${names.join(', ')}, n))`;
  const row = `req AS NOT MATERIALIZED (
     SELECT ${all.map(([column, type], i) => `$${i + 1}::${type} AS ${column}`).join(', ')}, 1::bigint AS n)`;
  return {
    ...takingStatement(name, text, req, all.length + 1),
    columns: names as (C | CallColumn)[],
    lone: lone && takingStatement(`${name}_lone`, lone, row, all.length + 1),
  };
}

const takingStatement = (name: string, text: StatementText, req: string, free: number): TakingStatement => ({
  ...statement(
    name,
    text(req, () => NOTHING_UNTAKEN),
  ),
  taking: (more, parts) =>
    statement(
      `${name}_${more}`,
      text(req, (after) => parts(free, after)),
    ),
});
