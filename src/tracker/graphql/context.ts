import type { Db } from '../../kernel/database/db.js';
import type { Loaders } from '../query/loaders.js';
import type { Allowance } from './budgets.js';
import type { Viewer } from '../access/viewer.js';

export type { Loaders };

/** The GraphQL context: one per request. */
export interface RelationContext {
  readonly viewer: Viewer;
  /** Loaders of this request: batch through them, never query per node. */
  readonly load: Loaders;
  /** For root-like connections (`page(db, …)`), never for a query per node. */
  readonly db: Db;
  /** Base of every `url` field, without a final slash (docs/reference/tracker.md). */
  readonly web: string;
  /** What is left of the caller's budgets after this operation was charged. */
  allowances?: () => readonly Allowance[];
}
