import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A temporary folder for a spec, with a space in its path, deleted with the spec. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy test '));
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);
  return folder;
}
