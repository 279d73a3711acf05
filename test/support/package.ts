import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './image.js';

/** What `npm pack` gave. */
export interface Packed {
  /** The tarball. */
  file: string;
  /** What is in it, unpacked. */
  folder: string;
  /** The paths of its files. */
  names: string[];
}

/** Packs the checkout, which is built, and unpacks that into `folder`. */
export function packed(folder: string): Packed {
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder];
  const [made] = JSON.parse(
    execFileSync('npm', ['pack', ...options], { cwd: CHECKOUT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as { filename: string; files: { path: string }[] }[];
  const file = join(folder, made?.filename as string);
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  return { file, folder: join(folder, 'package'), names: (made?.files ?? []).map(({ path }) => path) };
}

/**
 * A folder as `npm install ./understudy-….tgz` leaves it, without a registry: the package as it was packed, and links to
 * all packages of the checkout.
 */
export function installedPackage(folder: string): void {
  const target = join(folder, 'node_modules');
  mkdirSync(target, { recursive: true });
  const { folder: unpacked } = packed(folder);
  execFileSync('mv', [unpacked, join(target, 'understudy')]);
  for (const name of packagesOf(join(CHECKOUT, 'node_modules'))) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    if (!existsSync(join(target, name))) symlinkSync(join(CHECKOUT, 'node_modules', name), join(target, name));
  }
  cpSync(join(CHECKOUT, 'node_modules', '.bin'), join(target, '.bin'), { recursive: true, verbatimSymlinks: true });
  symlinkSync(join('..', 'understudy', 'bin', 'understudy.mjs'), join(target, '.bin', 'understudy'));
}

function packagesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : [name],
    );
}
