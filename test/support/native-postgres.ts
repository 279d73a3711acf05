import { checkRuns, runnableBinaries } from '../../src/kernel/database/embedded/native/binaries.js';
import { serverUser } from '../../src/kernel/database/embedded/native/server-user.js';

/** Appended to the title of specs that need an embedded PostgreSQL server; empty where one can run. */
export const noServer = reason();

function reason(): string {
  try {
    const user = serverUser(null);
    checkRuns(runnableBinaries(user), user);
    return '';
  } catch (error) {
    return ` (skipped: ${(error as Error).message})`;
  }
}
