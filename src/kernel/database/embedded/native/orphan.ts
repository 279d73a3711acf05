import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from '../embedded-error.js';
import { shortPath } from './own-folder.js';

/** The files that a running server has in its directory. */
const MARK = 'postmaster.pid';
const SOCKET = '.s.PGSQL.5432';
const SOCKET_LOCK = `${SOCKET}.lock`;

/** How long an orphan may take to end after each signal, in ms. */
const ENDINGS: readonly [NodeJS.Signals, number][] = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 2_000],
];

/**
 * Ends the server that a killed process left on a directory, and removes its files: their process id may have been
 * reused, which would keep the next server from starting. Call it while holding the directory's lock, so that no other
 * process uses that server.
 */
export async function endOrphan(cluster: string): Promise<void> {
  const mark = join(cluster, MARK);
  if (!existsSync(mark)) return;
  const pid = Number.parseInt(readFileSync(mark, 'utf8'), 10);
  if (pid > 0 && (await isServerOf(cluster, pid))) await end(cluster, pid);
  // the server's own processes end when they notice
  for (const other of processesIn(cluster)) await end(cluster, other);
  for (const name of [SOCKET_LOCK, SOCKET, MARK]) rmSync(join(cluster, name), { force: true });
}

async function end(cluster: string, pid: number): Promise<void> {
  for (const [signal, timeoutMs] of ENDINGS) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw new EmbeddedError(`The server ${pid} that a killed process left on ${cluster} is another user's: end it.`);
    }
    for (let waited = 0; waited < timeoutMs; waited += 20) {
      if (!(await isServerOf(cluster, pid))) return;
      await sleep(20);
    }
  }
}

/** Linux tells a process's working directory; elsewhere a server that answers is the one that wrote the file. */
async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') return hasWorkingDirectory(cluster, pid);
  const { path, forget } = shortPath(cluster);
  return new Promise<boolean>((resolve) => {
    const socket = connect(join(path, SOCKET), () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', forget);
    socket.on('connect', () => socket.destroy());
  });
}

function processesIn(cluster: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasWorkingDirectory(cluster, Number(name)))
    .map(Number);
}

/** False for a process that has ended but was not reaped, as it has no working directory. */
function hasWorkingDirectory(cluster: string, pid: number): boolean {
  try {
    return pid !== process.pid && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}
