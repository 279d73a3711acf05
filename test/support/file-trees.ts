import { copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Copies a folder with hard links in place of its packages, which takes a second instead of ten; nobody writes to
 * those. npm updates its own list of packages in place, so that file is copied.
 */
export function linkTree(from: string, to: string, linked = false): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target, linked || basename(from) === 'node_modules');
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (!linked) copyFileSync(source, target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target); // hard links do not work across file systems
  }
}

/** All files below a folder, with the attributes that a write would change. */
export function listing(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return listing(folder, path);
    const { size, mtimeMs } = lstatSync(join(folder, path));
    return [`${path} ${size} ${mtimeMs}`];
  });
}
