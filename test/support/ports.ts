import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const LOWEST = 20_000;

/**
 * The first ephemeral port, which the system may assign to any outgoing connection; ports below are never assigned
 * so.
 */
function ephemeral(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    return 32_768;
  }
}

const HIGHEST = Math.max(LOWEST + 1_000, Math.min(ephemeral(), 32_768)) - 1;

/** The same folder for all test runs, whatever their folders for temporary files. */
const folder = join(
  existsSync('/tmp') ? '/tmp' : tmpdir(),
  `understudy-ports-${process.getuid?.() ?? userInfo().username}`,
);
const own = new Set<string>();

/**
 * A free port, reserved for this process until it ends: no outgoing connection gets it, nor any other test process
 * that calls this function.
 */
export async function reservedPort(): Promise<number> {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (reserve(join(folder, String(port))) && (await isFree(port))) return port;
  }
}

function reserve(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    if (isRunning(file)) return false;
    rmSync(file, { force: true }); // the reservation of a dead process is void
    return false;
  }
  if (own.size === 0) process.once('exit', () => own.forEach((mine) => rmSync(mine, { force: true })));
  own.add(file);
  return true;
}

function isRunning(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether it is free on all addresses, as a server in a container uses them. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
