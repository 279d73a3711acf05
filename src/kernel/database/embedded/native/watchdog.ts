import { spawn } from 'node:child_process';

/**
 * Ends a server as soon as this process is gone, however it went: a shell that waits for the other end of a pipe. In
 * order where its files are kept; where they are not, at once and with the files. Answers how to call the shell off.
 */
export function watchOver(pid: number, throwAway: string | null): () => void {
  const script =
    throwAway === null
      ? 'read -r word && exit; kill -INT "$0"'
      : 'read -r word && exit; kill -QUIT "$0"; for i in 1 2 3 4 5; do sleep 1; rm -rf -- "$1" && exit; done';
  const shell = spawn('/bin/sh', ['-c', script, String(pid), throwAway ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  // without a shell, the next start ends what is left
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref: () => void }).unref();
  return () => shell.stdin.end('called off\n');
}
