import { randomBytes } from 'node:crypto';
import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from './embedded-error.js';

const LOCK_FILE = 'understudy.lock';
/** The owner touches its lock this often, in ms; a lock that nobody touched for three times as long is abandoned. */
const HEARTBEAT = 1_000;

/** What a lock file says. */
interface Holder {
  /** Names this one act of locking: what is removed or replaced is never a lock that somebody took since. */
  readonly token: string;
  readonly pid: number;
  /** Start of that process in clock ticks since boot, from /proc; null where there is none. Process ids are used again. */
  readonly started: string | null;
  readonly hostname: string;
  /** Which process numbers `pid` belongs to: one boot of one machine, and within it one container. */
  readonly scope: string;
}

/**
 * The mark of the one process that may open a data directory: PGlite has no lock of its own, and two processes on one
 * directory diverge silently. Linking the file decides who has it.
 *
 * A lock whose process is dead is succeeded by exactly one of several starters: replacing the lock with token T takes
 * the file `….T`, locked the same way, and T is looked at again under it. No token comes twice, so a slow starter that
 * still has T in mind finds another one and starts over.
 */
export class DataDirLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly own: Holder,
  ) {
    // A process of another container cannot be looked up by its id; there the time of the last touch has to do.
    this.timer = setInterval(() => {
      try {
        utimesSync(this.file, new Date(), new Date());
      } catch {
        // a full or read-only disk; the owner is still known by its process id
      }
    }, HEARTBEAT);
    this.timer.unref();
  }

  /** @throws EmbeddedError when another process has the directory */
  static async take(directory: string): Promise<DataDirLock> {
    const file = join(directory, LOCK_FILE);
    const { own, other } = await lock(file);
    if (!own) {
      const where = other.hostname === hostname() ? '' : ` on ${other.hostname}`;
      throw new EmbeddedError(
        `The data directory ${directory} is in use by process ${other.pid}${where}: stop that process, or choose another SVC_DATA_DIR.`,
      );
    }
    return new DataDirLock(file, own);
  }

  /** A lock that cannot be removed, as on a full disk, is known as abandoned by the end of this process. */
  release(): void {
    clearInterval(this.timer);
    try {
      unlock(this.file, this.own);
    } catch {
      // told above
    }
  }
}

type Outcome = { own: Holder; other?: undefined } | { own?: undefined; other: Holder };

async function lock(file: string): Promise<Outcome> {
  for (;;) {
    const own = self();
    if (create(file, own)) return { own };
    const other = read(file);
    if (!other) continue; // released just now
    if (await isAlive(file, other)) return { other };

    const claim = `${file}.${other.token}`;
    const claimed = await lock(claim);
    if (!claimed.own) {
      await sleep(20); // somebody else is succeeding it at this moment
      continue;
    }
    try {
      if (read(file)?.token === other.token) {
        replace(file, own);
        return { own };
      }
    } finally {
      unlock(claim, claimed.own);
    }
  }
}

function self(): Holder {
  return {
    token: randomBytes(6).toString('hex'),
    pid: process.pid,
    started: startOf(process.pid),
    hostname: hostname(),
    scope: scope(),
  };
}

/** False when the file exists. It appears with its content: nobody can see an empty lock. */
function create(file: string, own: Holder): boolean {
  const draft = `${file}.${own.token}.new`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return createWithoutLink(file, own, error); // some file systems have no hard links
  } finally {
    unlinkSync(draft);
  }
}

function createWithoutLink(file: string, own: Holder, reason: unknown): boolean {
  if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'].includes(codeOf(reason) ?? '')) throw reason;
  try {
    writeFileSync(file, JSON.stringify(own), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function replace(file: string, own: Holder): void {
  const draft = `${file}.${own.token}.new`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  renameSync(draft, file);
}

function unlock(file: string, own: Holder): void {
  try {
    if (read(file)?.token === own.token) unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Null when there is no such file. One that cannot be understood counts as somebody's, so that it is never just replaced. */
function read(file: string): Holder | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as Holder;
    if (Number.isInteger(holder.pid) && /^[0-9a-f]+$/.test(holder.token)) return holder;
  } catch {
    // told below
  }
  throw new EmbeddedError(`The lock file ${file} cannot be read: if no other process uses its directory, delete it.`);
}

async function isAlive(file: string, holder: Holder): Promise<boolean> {
  if (holder.scope === scope()) {
    const started = startOf(holder.pid);
    if (started !== null && holder.started !== null) return started === holder.started;
    if (!exists(holder.pid)) return false;
  }
  return isTouched(file, holder);
}

/** Whether the owner still touches its lock: true at the first sign, false after three missed ones. */
async function isTouched(file: string, holder: Holder): Promise<boolean> {
  const touched = (): number | null => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  const before = touched();
  for (let waited = 0; waited < 3 * HEARTBEAT; waited += 100) {
    await sleep(100);
    if (read(file)?.token !== holder.token) return false; // gone or succeeded: look again
    if (touched() !== before) return true;
  }
  return false;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH'; // EPERM: it is another user's
  }
}

/**
 * Field 22 of /proc/<pid>/stat; the second one, in brackets, may hold blanks. A process that ended and that its parent
 * has not waited for (the third is Z) holds nothing any more.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function scope(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
