import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder of the spec's own, with a space in its path; it goes with the spec. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy test '));
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);
  return folder;
}
