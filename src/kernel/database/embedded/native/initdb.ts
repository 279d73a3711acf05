import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runnableBinaries } from './binaries.js';
import { NativeUnavailable } from './native-unavailable.js';
import { giveTo, namedUser } from './server-user.js';
import { pathFromInside } from './own-folder.js';

/** UTF-8, Unicode case mapping, byte order: the same on every system. */
const LOCALE = [
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'UTF-8' : 'C.UTF-8'}`, // defines which letters form a word, for trigrams
  '--lc-messages=C',
];

/**
 * Makes the files of a new database server in a directory that does not exist yet. Only used without a template, which
 * a build makes.
 * @throws NativeUnavailable when initdb refuses to run, as for a user without a name
 */
export function initialise(directory: string): void {
  const user = namedUser();
  const { folder } = runnableBinaries(user);
  mkdirSync(directory, { mode: 0o700 });
  if (user) giveTo(user, directory);
  const { error, status, stderr } = spawnSync(
    join(folder, 'bin', 'initdb'),
    ['-D', pathFromInside(directory), '--username=postgres', '--auth=trust', '--no-sync', '--wal-segsize=1', ...LOCALE],
    { ...user, cwd: directory, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8', timeout: 60_000 },
  );
  if (error) throw new NativeUnavailable(`initdb does not run here: ${error.message}`);
  if (status !== 0) throw new NativeUnavailable(stderr.trim().split('\n')[0] ?? 'initdb failed');
  if (user) giveTo({ uid: 0, gid: 0 }, directory); // like all other output of this process
}
