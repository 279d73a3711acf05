import type { Db } from '../../kernel/database/db.js';
import type { Loaders } from '../model/loaders.js';
import type { Viewer } from '../model/viewer.js';

export type { Loaders };

/** The GraphQL context: one per request. */
export interface RelationContext {
  readonly viewer: Viewer;
  /** Loaders of this request: batch through them, never query per node. */
  readonly load: Loaders;
  /** For root-like connections (`page(db, …)`), never for a query per node. */
  readonly db: Db;
  /** Base of every `url` field, without a final slash (tracker.md "Notation"). */
  readonly web: string;
}
