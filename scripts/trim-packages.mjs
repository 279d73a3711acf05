// Takes out of node_modules what a running server never opens, for the image: source maps of packages, TypeScript (their
// sources and declarations, which Node refuses to run from node_modules), and a few folders by name. Nothing that a
// package may load is touched, nor any licence. It names its folders, so that one that is gone is noticed.
import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** With the reason why nobody opens them. */
const FOLDERS = {
  typescript: 'an optional peer, for a compiler plugin that we do not use; it survives the prune because it builds us',
  'typeorm/browser': 'a second copy, for bundlers',
};
const UNREAD = /\.(map|[cm]?ts)$/;

/** Removes the files below and folders that this leaves empty; answers whether `folder` is empty now. */
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

for (const name of Object.keys(FOLDERS)) {
  const path = join('node_modules', name);
  if (!existsSync(path)) {
    console.error(`trim-packages: there is no ${path}: take it off the list`);
    process.exit(1);
  }
  rmSync(path, { recursive: true });
}
// what is linked from there: commands of packages that are gone
const bin = join('node_modules', '.bin');
for (const name of existsSync(bin) ? readdirSync(bin) : []) {
  if (!existsSync(join(bin, name))) unlinkSync(join(bin, name));
}
trim('node_modules');
