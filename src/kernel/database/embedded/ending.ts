import { writeSync } from 'node:fs';

/** What a dead database means where nobody says otherwise: one line, and the process ends. */
export function endProcess(error: Error): never {
  writeSync(2, `${error.message}\n`);
  process.exit(1);
}
