import type { TenantRemoval } from '../removal/tenant-removal.js';
import { NamesOfEndedTenants } from './fixed-names.js';

const MAX_ATTEMPTS = 3;
const UNIQUE_VIOLATION = '23505';

/**
 * Runs work that fixes names. If a deleted tenant still holds them, its rows are deleted first; if another call takes
 * one at the same moment, the retry reports which.
 */
export async function withFreedNames<T>(removal: TenantRemoval, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS) throw error;
      if (error instanceof NamesOfEndedTenants) {
        for (const tenantId of error.tenantIds) await removal.finish(tenantId);
      } else if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
}
