import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataDirLock } from '../../src/kernel/database/embedded/data-dir-lock.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';

const stateOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** docs/OPERATIONS.md */
describe('the lock of a data directory', () => {
  it.skipIf(process.platform !== 'linux')(
    'is not held by a zombie process (skipped where there is no /proc)',
    async () => {
      const folder = scratchFolderOf();
      // the shell is replaced by a program that does not wait for its child
      const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      onTestFinished(() => void parent.kill('SIGKILL'));
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString().trim());
      const holder = {
        token: 'abcdef012345',
        pid,
        started: stateOf(pid)[19],
        hostname: hostname(),
        scope: `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`,
      };
      writeFileSync(join(folder, 'understudy.lock'), JSON.stringify(holder));
      await expect(DataDirLock.take(folder)).rejects.toThrow(`in use by process ${pid}`);
      await eventually(() => stateOf(parent.pid as number)[0] === 'S', 'the shell has become another program');
      process.kill(pid, 'SIGKILL');
      await eventually(() => stateOf(pid)[0] === 'Z', 'a zombie');
      const lock = await DataDirLock.take(folder);
      lock.release();
    },
  );

  it('does not end its process when it cannot be released', async () => {
    const folder = scratchFolderOf();
    const lock = await DataDirLock.take(folder);
    writeFileSync(join(folder, 'understudy.lock'), 'nonsense');
    expect(() => lock.release()).not.toThrow();
  });

  const folders = [scratchFolder(), scratchFolder()];
  const scratchFolderOf = (): string => folders.pop() as string;
});
