// Removes from node_modules what a running server never opens, for the image: source maps of packages, TypeScript
// (their sources and declarations, which Node refuses to run from node_modules) and libraries for linkers. Files that a
// package may load and licences are kept.
import { existsSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const UNREAD = /\.(map|[cm]?ts|a)$/;

/** Removes matching files, and folders that become empty; returns whether `folder` is empty now. */
function trim(folder) {
  let left = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (lstatSync(path).isDirectory()) {
      if (trim(path)) rmdirSync(path);
      else left++;
    } else if (UNREAD.test(name)) unlinkSync(path);
    else left++;
  }
  return left === 0;
}

// links to commands of packages that are gone
const bin = join('node_modules', '.bin');
for (const name of existsSync(bin) ? readdirSync(bin) : []) {
  if (!existsSync(join(bin, name))) unlinkSync(join(bin, name));
}
trim('node_modules');
