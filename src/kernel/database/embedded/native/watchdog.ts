import { spawn } from 'node:child_process';

/**
 * Ends a server as soon as this process is gone, however that happened: a shell waits for the other end of a pipe to
 * close. Persistent data is shut down cleanly; temporary data is removed together with the server. Returns a function
 * that dismisses the shell.
 */
export function startWatchdog(pid: number, temporaryDir: string | null): () => void {
  // a SIGTERM to all processes of a service is not for it
  const script =
    temporaryDir === null
      ? 'trap "" TERM INT HUP; read -r word && exit; kill -INT "$0"'
      : 'trap "" TERM INT HUP; read -r word && exit; kill -QUIT "$0"; for i in 1 2 3 4 5; do sleep 1; rm -rf -- "$1" && exit; done';
  const shell = spawn('/bin/sh', ['-c', script, String(pid), temporaryDir ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  // without a shell, the next start ends a server that was left running
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref: () => void }).unref();
  return () => shell.stdin.end('called off\n');
}
