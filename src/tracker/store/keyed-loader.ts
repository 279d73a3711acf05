import type { QueryResultRow } from 'pg';
import type { Statement } from '../../kernel/database/statement.js';
import type { RequestingUser } from '../query/query-scope.js';

/**
 * Something that a family looks up for many keys at once: declared beside its entity, asked for with `Loaders.by`. Rows
 * of the statement name what they answer for in `key`.
 */
export interface KeyedLoader<R extends QueryResultRow, A> {
  statement: Statement;
  values(keys: readonly string[], viewer: RequestingUser, now: Date): unknown[];
  answer(rows: R[]): A;
}

/** Types a `KeyedLoader`. */
export const keyedLoader = <R extends QueryResultRow, A>(loader: KeyedLoader<R & { key: string }, A>) => loader;
