import type { Db } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { HOLD_SANDBOX } from './one-by-one.queries.js';

/**
 * Runs a statement that counts what a sandbox has, one caller after the other: a statement sees what was there when it
 * began, so the sandbox's row is held by one before it.
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
