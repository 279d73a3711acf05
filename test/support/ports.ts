import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const LOWEST = 20_000;

/** The first port that the system may give to any outgoing connection: what is below is nobody's by chance. */
function ephemeral(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  } catch {
    return 32_768;
  }
}

const HIGHEST = Math.max(LOWEST + 1_000, Math.min(ephemeral(), 32_768)) - 1;

/** The same for all runs of the tests, whatever their folders for temporary files. */
const folder = join(
  existsSync('/tmp') ? '/tmp' : tmpdir(),
  `understudy-ports-${process.getuid?.() ?? userInfo().username}`,
);
const own = new Set<string>();

/**
 * A port that is free and stays this process's until it ends: no outgoing connection gets it, and no other process of
 * the tests that asks here too.
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
    rmSync(file, { force: true }); // the next one to come along may have it
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

/** On all addresses, as a server in a container has it. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
