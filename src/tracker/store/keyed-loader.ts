import type { QueryResultRow } from 'pg';
import type { Statement } from '../../kernel/database/statement.js';
import type { RequestingUser } from './query-scope.js';

/**
 * A look-up for many keys at once that a family declares beside its entity; used through `Loaders.by`. Rows of the
 * statement name their key in `key`.
 */
export interface KeyedLoader<R extends QueryResultRow, A> {
  statement: Statement;
  values(keys: readonly string[], viewer: RequestingUser, now: Date): unknown[];
  answer(rows: R[]): A;
}

/** Types a `KeyedLoader`. */
export const keyedLoader = <R extends QueryResultRow, A>(loader: KeyedLoader<R & { key: string }, A>) => loader;
