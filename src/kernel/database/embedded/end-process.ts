import { writeSync } from 'node:fs';

/** The default reaction to a dead database: print one line and exit. */
export function endProcess(error: Error): never {
  writeSync(2, `${error.message}\n`);
  process.exit(1);
}
