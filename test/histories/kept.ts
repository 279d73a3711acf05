import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Recorded } from './run.js';

/** Infinity is no JSON; a socket that was never closed has it. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Keeps a history as a file, to judge it again when the checker knows more. */
export function keep(path: string, recorded: Recorded): void {
  const text = JSON.stringify(recorded, (_, value: unknown) => (value === Infinity ? FOREVER : value));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(text, { level: 1 }));
}

export function readKept(path: string): Recorded {
  const text = gunzipSync(readFileSync(path)).toString();
  return JSON.parse(text, (_, value: unknown) => (value === FOREVER ? Infinity : value)) as Recorded;
}
