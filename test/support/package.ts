import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CHECKOUT } from './image.js';

/** The result of `npm pack`. */
export interface Packed {
  /** The tarball. */
  file: string;
  /** Its content, unpacked where no other package can be resolved. */
  folder: string;
  /** The paths of its files. */
  names: string[];
  /**
   * A `node_modules` as `npm install ./understudy-….tgz` leaves it, without a registry: the packed package, and links
   * to
   * all packages of the checkout.
   */
  modules: string;
}

let registry: boolean | undefined;

/** Why specs that install with npm cannot run, or an empty text. */
export function withoutRegistry(): string {
  registry ??= spawnSync('npm', ['view', 'pg', 'version', '--fetch-retries=0', '--fetch-timeout=10000']).status === 0;
  return registry ? '' : ' (skipped: npm reaches no registry here)';
}

/** How long an unused packed version is kept, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

let known: Packed | undefined;

/**
 * Packs the built checkout once for all specs and runs, keyed by the packed content. Specs must not write to it. Its
 * path has a space, as paths of users may.
 */
export function packed(): Packed {
  known ??= packedOnce();
  return known;
}

function packedOnce(): Packed {
  const place = shelved(contentKey(), pack);
  const names = JSON.parse(readFileSync(join(place, 'names.json'), 'utf8')) as string[];
  const file = readdirSync(place).find((name) => name.endsWith('.tgz')) as string;
  return { file: join(place, file), folder: join(place, 'unpacked', 'package'), names, modules: modulesIn(place) };
}

/** The output of one or more npm commands, and the resulting project. */
export interface Installed {
  project: string;
  /** The output of each step. */
  said: string[];
}

/**
 * An empty folder with only the tarball, in which these shell lines were run, once for all runs, as `packed`. Specs
 * must not write to it.
 */
export function installed(steps: readonly string[]): Installed {
  const { file } = packed();
  const key = createHash('sha256')
    .update(`${dirname(file)}\0${steps.join('\0')}`)
    .digest('hex')
    .slice(0, 24);
  const place = shelved(key, (draft) => {
    const project = join(draft, 'project');
    mkdirSync(project);
    cpSync(file, join(project, basename(file)));
    const said = steps.map((step) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-ec', step], { cwd: project, encoding: 'utf8', env: QUIET });
      if (status !== 0) throw new Error(`${step}: ${stdout}${stderr}`);
      return stdout + stderr;
    });
    writeFileSync(join(draft, 'said.json'), JSON.stringify(said));
  });
  return {
    project: join(place, 'project'),
    said: JSON.parse(readFileSync(join(place, 'said.json'), 'utf8')) as string[],
  };
}

/** No notices of npm, and packages from its cache. */
const QUIET = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
};

/** A folder by its key, made if it does not exist. Of concurrent processes the first to finish wins. */
function shelved(key: string, make: (draft: string) => void): string {
  const shelf = join(tmpdir(), `understudy packed ${process.getuid?.() ?? ''}`);
  mkdirSync(shelf, { recursive: true, mode: 0o700 });
  const place = join(shelf, key);
  if (existsSync(place)) {
    utimesSync(place, new Date(), new Date());
    return place;
  }
  forgetOld(shelf);
  const draft = mkdtempSync(join(shelf, 'draft '));
  try {
    make(draft);
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  return place;
}

const modulesIn = (place: string): string => join(place, 'installed', 'node_modules');

function pack(place: string): void {
  const options = ['--ignore-scripts', '--json', '--pack-destination', place];
  const [made] = JSON.parse(
    execFileSync('npm', ['pack', ...options], { cwd: CHECKOUT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as { filename: string; files: { path: string }[] }[];
  const { filename, files } = made as { filename: string; files: { path: string }[] };
  writeFileSync(join(place, 'names.json'), JSON.stringify(files.map(({ path }) => path)));
  mkdirSync(join(place, 'unpacked'));
  execFileSync('tar', ['-xzf', join(place, filename), '-C', join(place, 'unpacked')]);
  const modules = modulesIn(place);
  cpSync(join(place, 'unpacked', 'package'), join(modules, 'understudy'), { recursive: true });
  for (const name of packagesOf(join(CHECKOUT, 'node_modules'))) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name));
  }
  cpSync(join(CHECKOUT, 'node_modules', '.bin'), join(modules, '.bin'), { recursive: true, verbatimSymlinks: true });
  rmSync(join(modules, '.bin', 'understudy'), { force: true });
  symlinkSync(join('..', 'understudy', 'bin', 'understudy.mjs'), join(modules, '.bin', 'understudy'));
}

/** A key of the package's content and the location of the packages beside it. */
function contentKey(): string {
  const hash = createHash('sha256').update(CHECKOUT);
  const { files } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { files: string[] };
  // `dist/ui/assets/*.br` stands for its folder: other files there change the key without harm
  const roots = files.map((pattern) => (pattern.includes('*') ? dirname(pattern) : pattern));
  for (const root of new Set(['package.json', 'README.md', 'package-lock.json', ...roots])) {
    const path = join(CHECKOUT, root);
    if (!existsSync(path)) continue;
    const below = statSync(path).isFile() ? [''] : (readdirSync(path, { recursive: true }) as string[]).sort();
    for (const name of below) {
      const file = join(path, name);
      if (statSync(file).isFile()) hash.update(`\0${root}/${name}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 24);
}

function forgetOld(shelf: string): void {
  for (const name of readdirSync(shelf)) {
    const path = join(shelf, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** A project folder in which the package and all packages of the checkout are installed. */
export function installedPackage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(packed().modules, join(folder, 'node_modules'));
}

function packagesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : [name],
    );
}
