import type { Db } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { HOLD_SANDBOX } from './one-by-one.queries.js';

/**
 * Runs statements that count a sandbox's objects one after the other: a statement sees the state from when it began, so
 * a preceding one locks the sandbox's row.
 */
export function oneByOne<R extends Record<string, unknown>>(
  db: Db,
  tenantId: number,
  counting: Statement,
  values: unknown[],
): Promise<R[]> {
  return db.write(async (tx) => {
    await tx.query(HOLD_SANDBOX, [tenantId]);
    return tx.query<R>(counting, values);
  });
}
