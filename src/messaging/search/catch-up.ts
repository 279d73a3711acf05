import type { Db } from '../../kernel/database/db.js';
import { CATCH_UP } from './search.queries.js';

/** Writes searchable rows of messages that have none yet; false: there is no such message. */
export async function catchUp(db: Db, workspaceId: string, ranges: number): Promise<boolean> {
  const [row] = await db.write((tx) => tx.query<{ ranges: number }>(CATCH_UP, [workspaceId, ranges]));
  return (row?.ranges ?? 0) > 0;
}
