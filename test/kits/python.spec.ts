import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Debian's Python, or another that has pytest. */
const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import pytest']).status === 0,
);

describe('clients/python', () => {
  beforeAll(ensureBuilt, 300_000);

  it.skipIf(python === undefined)(
    `passes its own tests against a server that it starts${python === undefined ? ' (skipped: no python3 with pytest is installed)' : ''}`,
    { timeout: 120_000 },
    async () => {
      const options = ['-p', 'understudy_testing.pytest_plugin', '-p', 'no:cacheprovider', '-q'];
      const child = spawn(python as string, ['-m', 'pytest', ...options, 'clients/python/tests'], {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          PYTHONPATH: 'clients/python/src',
          PYTHONDONTWRITEBYTECODE: '1',
          UNDERSTUDY_COMMAND: `"${process.execPath}" bin/understudy.mjs`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code, said).toBe(0);
      expect(said).toMatch(/\d+ passed/);
    },
  );
});
