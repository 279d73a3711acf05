import type { TenantRemoval } from '../removal/tenant-removal.js';
import { NamesOfEndedTenants } from './fixed-names.js';

const MOST_TRIES = 3;
const UNIQUE_VIOLATION = '23505';

/**
 * Runs what fixes names. Where a deleted tenant still holds them its rows go first; where somebody else took one in this moment, the
 * next try says which.
 */
export async function withFreedNames<T>(removal: TenantRemoval, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MOST_TRIES) throw error;
      if (error instanceof NamesOfEndedTenants) {
        for (const tenantId of error.tenantIds) await removal.finish(tenantId);
      } else if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
}
