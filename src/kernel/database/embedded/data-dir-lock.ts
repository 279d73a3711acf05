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
/** How often the owner touches its lock, in ms; a lock that was not touched for three times as long is abandoned. */
const HEARTBEAT = 1_000;

/** The content of a lock file. */
interface Holder {
  /** Identifies one acquisition: a lock that another process took since is never removed or replaced by mistake. */
  readonly token: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot, from /proc; null if there is none. Process ids are reused. */
  readonly started: string | null;
  readonly hostname: string;
  /** The namespace of `pid`: one boot of one machine, and within it one container. */
  readonly scope: string;
}

/**
 * The lock file of the one process that may open a data directory: PGlite has no lock of its own, and two processes on
 * one directory corrupt it silently. Linking the file decides who gets it.
 *
 * A lock whose process is dead is taken over by exactly one of several starters: replacing the lock with token T
 * requires the file `….T`, locked in the same way, and T is checked again while holding it. Tokens are unique, so a
 * slow starter that still expects T finds another one and starts over.
 */
export class DataDirLock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly own: Holder,
  ) {
    // A process of another container cannot be looked up by its id, so the time of the last touch decides.
    this.timer = setInterval(() => {
      try {
        utimesSync(this.file, new Date(), new Date());
      } catch {
        // a full or read-only disk; the owner can still be identified by its process id
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

  /** If the lock cannot be removed, as on a full disk, the end of this process marks it as abandoned. */
  release(): void {
    clearInterval(this.timer);
    try {
      unlock(this.file, this.own);
    } catch {
      // as documented above
    }
  }
}

type Outcome = { own: Holder; other?: undefined } | { own?: undefined; other: Holder };

async function lock(file: string): Promise<Outcome> {
  for (;;) {
    const own = self();
    if (create(file, own)) return { own };
    const other = read(file);
    if (!other) continue; // just released
    if (await isAlive(file, other)) return { other };

    const claim = `${file}.${other.token}`;
    const claimed = await lock(claim);
    if (!claimed.own) {
      await sleep(20); // another process is taking it over at this moment
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

/** False when the file exists. The file appears complete: no process can see an empty lock. */
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

/** Null when there is no such file. A file that cannot be parsed counts as held, so that it is never just replaced. */
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
    // reported below
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

/** Whether the owner still touches its lock: true at the first touch, false after three missed ones. */
async function isTouched(file: string, holder: Holder): Promise<boolean> {
  const touched = (): number | null => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  const before = touched();
  for (let waited = 0; waited < 3 * HEARTBEAT; waited += 100) {
    await sleep(100);
    if (read(file)?.token !== holder.token) return false; // released or taken over: check again
    if (touched() !== before) return true;
  }
  return false;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH'; // EPERM: the process belongs to another user
  }
}

/**
 * Field 22 of /proc/<pid>/stat; the second field, in brackets, may contain spaces. A process that has ended but was not
 * reaped by its parent (the third field is Z) no longer holds anything.
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
