import { statement, type Statement } from '../database/statement.js';

/* Hand-written: rows are deleted in batches by key, so that no statement takes long. */

/**
 * Rows per batch, which is one short transaction: other calls run in between, and dependent rows are deleted with them.
 */
export const BATCH = 500;

/** Statements that are repeated together until none of their rows is left. Parameter: whose rows, as an array. */
export type RemovalStep = readonly Statement[];

/** Deletes rows of one table. @param key its key, in parentheses where it has several columns */
export const deleteRows = (name: string, table: string, key: string, where: string): Statement =>
  statement(
    `tenants_removal_${name}`,
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE ${where} LIMIT ${BATCH}) RETURNING 1`,
  );
