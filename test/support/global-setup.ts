import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeUnavailable } from '../../src/kernel/database/embedded/native/native-unavailable.js';
import { templatePath } from '../../src/kernel/database/template.js';
import { setUp } from '../../scripts/setup.mjs';

/** Enough memory for the databases of the specs, and the same again for the processes. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Runs once for all workers. With the template of the build, a server on an embedded database starts in well under a
 * second. If the sources do not compile there is no template, and the specs start slowly rather than not at all.
 */
export default function setup(): () => Promise<void> {
  const folder = folderInMemory();
  if (folder !== null) process.env['TMPDIR'] = folder;
  if (!hasTemplate()) {
    try {
      setUp(fileURLToPath(new URL('../..', import.meta.url)), { build: 'only' });
    } catch (error) {
      console.error((error as Error).message);
    }
  }
  return async () => {
    // a browser that has just ended may still write to its profile; rmSync would not look again at what is in it
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

function hasTemplate(): boolean {
  try {
    if (templatePath('postgres') !== null) return true;
  } catch (error) {
    if (!(error instanceof NativeUnavailable)) throw error;
  }
  return templatePath('pglite') !== null;
}

/**
 * A folder for temporary files in memory, if there is enough and programs may be run from it, otherwise null. A new
 * embedded database has 900 files, which take 0.65 s of CPU time on some disks and 0.03 s in memory.
 */
function folderInMemory(): string | null {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^tmpfs \/dev\/shm tmpfs (\S+)/m);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (!mount || mount[1]?.split(',').includes('noexec')) return null;
    if (bavail * bsize < ROOM_BYTES || freemem() < 2 * ROOM_BYTES) return null;
    const folder = mkdtempSync(join('/dev/shm', 'understudy-'));
    chmodSync(folder, 0o711); // a server started by root runs as another user, who has to reach its files
    return folder;
  } catch {
    return null;
  }
}
