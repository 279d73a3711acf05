import { closeSync, existsSync, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const hasProc = process.platform === 'linux' && existsSync('/proc/self/cwd');

/**
 * How a program started in `directory` refers to it. The server's user may be unable to reach it by its path, such as
 * through root's home, but is there already.
 */
export const pathFromInside = (directory: string): string => (hasProc ? '/proc/self/cwd' : directory);

/** The longest socket address, less the name of the socket in the folder. */
const LONGEST = 80;

/**
 * The folder of the server's socket by a path that is short enough. Call `forget` when no further connection will be
 * made.
 */
export function shortPath(directory: string): { path: string; forget: () => void } {
  if (directory.length <= LONGEST) return { path: directory, forget: () => undefined };
  if (hasProc) {
    const descriptor = openSync(directory, 'r');
    return { path: `/proc/self/fd/${descriptor}`, forget: () => closeSync(descriptor) };
  }
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'));
  const path = join(folder, 's');
  symlinkSync(directory, path);
  return { path, forget: () => rmSync(folder, { recursive: true, force: true }) };
}
