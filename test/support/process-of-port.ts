import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which of these processes has a TCP connection from this local port (read from /proc on Linux). */
export function processOfPort(pids: readonly number[], port: number): number | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[1]?.endsWith(local))
      .map((columns) => `socket:[${columns[9]}]`),
  );
  return pids.find((pid) => readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.includes(linkOf(pid, fd))));
}

function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return ''; // the descriptor was closed meanwhile
  }
}
