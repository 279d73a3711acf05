import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NativeUnavailable } from '../../src/kernel/database/embedded/native/native-unavailable.js';
import { templatePath } from '../../src/kernel/database/template.js';
import { setUp } from '../../scripts/setup.mjs';

/** What the specs' databases may need at a time, and as much again for the processes. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Once for all workers: with the build's template a server on an embedded database starts in well under a second. Where
 * sources do not compile there is none, and the specs start slowly instead of not at all.
 */
export default function setup(): () => void {
  const folder = folderInMemory();
  if (folder !== null) process.env['TMPDIR'] = folder;
  if (!hasTemplate()) {
    try {
      setUp(fileURLToPath(new URL('../..', import.meta.url)), { build: 'only' });
    } catch (error) {
      console.error((error as Error).message);
    }
  }
  return () => {
    // a browser that has just ended may still be putting its profile away
    if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
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
 * A folder for temporary files in memory, where there is plenty and programs may be run from it; null elsewhere. A new
 * embedded database is 900 files, which take 0.65 s of processor time on some disks and 0.03 s in memory.
 */
function folderInMemory(): string | null {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^tmpfs \/dev\/shm tmpfs (\S+)/m);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (!mount || mount[1]?.split(',').includes('noexec')) return null;
    if (bavail * bsize < ROOM_BYTES || freemem() < 2 * ROOM_BYTES) return null;
    const folder = mkdtempSync(join('/dev/shm', 'understudy-'));
    chmodSync(folder, 0o711); // a server that root starts runs as somebody else, who has to get to its files
    return folder;
  } catch {
    return null;
  }
}
