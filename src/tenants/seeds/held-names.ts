import { TenantSlots } from '../../kernel/limits/tenant-slots.js';
import type { TenantRemoval } from '../removal/tenant-removal.js';
import { HeldByEndedTenants } from './fixed-names.js';

/** What fills tenants keeps the store busy and belongs to no tenant yet, so it takes turns: so many at once in a process. */
const AT_ONCE = 2;
const turns = new TenantSlots(AT_ONCE, AT_ONCE);
const NOBODY_YET = 0;

const MOST_TRIES = 3;
const UNIQUE_VIOLATION = '23505';

/**
 * Runs what fixes names, in its turn. Where a deleted tenant still holds them its rows go first; where somebody else took one in this
 * moment, the next try says which.
 */
export async function withFreedNames<T>(removal: TenantRemoval, work: () => Promise<T>): Promise<T> {
  await turns.take(NOBODY_YET);
  try {
    return await tried(removal, work);
  } finally {
    turns.give(NOBODY_YET);
  }
}

async function tried<T>(removal: TenantRemoval, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MOST_TRIES) throw error;
      if (error instanceof HeldByEndedTenants) {
        for (const tenantId of error.tenantIds) await removal.finish(tenantId);
      } else if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
}
