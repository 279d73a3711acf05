import { checkRuns, runnableBinaries } from '../../src/kernel/database/embedded/native/binaries.js';
import { serverUser } from '../../src/kernel/database/embedded/native/server-user.js';

/** Ends the title of what needs an embedded server of its own where none runs; empty where one does. */
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
