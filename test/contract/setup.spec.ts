import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildKey, installKey, isBuilt, isInstalled, setUp } from '../../scripts/setup.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('set-up', () => {
  let checkout: string;
  const at = (path: string): string => join(checkout, path);

  /**
   * A checkout that was set up: the files that are compared, and the markers that an installation and a build leave.
   */
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'under study '));
    for (const path of [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'migrations',
      'src/kernel/ids',
    ]) {
      cpSync(join(root, path), at(path), { recursive: true });
    }
    mkdirSync(at('scripts'));
    writeFileSync(at('scripts/build.mjs'), 'process.exit(0);\n');
    mkdirSync(at('node_modules'));
    mkdirSync(at('dist'));
    writeFileSync(at('node_modules/.understudy-installed'), installKey(checkout));
    writeFileSync(at('dist/.built'), buildKey(checkout));
  });
  afterEach(() => rmSync(checkout, { recursive: true, force: true }));

  it('does nothing the second time', () => {
    expect([isInstalled(checkout), isBuilt(checkout)]).toEqual([true, true]);
    expect(setUp(checkout, { build: true })).toEqual([]);
  });

  it('builds when a source was changed, added or deleted, and not when only its time changed', () => {
    const file = at('src/kernel/ids/ids.ts');
    utimesSync(file, new Date(), new Date());
    expect(setUp(checkout, { build: true })).toEqual([]);

    writeFileSync(at('src/more.ts'), 'export {};\n');
    expect(isBuilt(checkout)).toBe(false);
    expect(setUp(checkout, { build: true })).toEqual(['built']);
    expect(setUp(checkout, { build: true })).toEqual([]);
    rmSync(at('src/more.ts'));
    expect(isBuilt(checkout)).toBe(false);
    expect(setUp(checkout, { build: true })).toEqual(['built']);
    writeFileSync(at('migrations/9999_more.sql'), 'SELECT 1;\n');
    expect(isBuilt(checkout)).toBe(false);
  });

  it('keeps its markers under any path', () => {
    const moved = `${checkout} moved`;
    renameSync(checkout, moved);
    expect([isInstalled(moved), isBuilt(moved)]).toEqual([true, true]);
    renameSync(moved, checkout);
  });

  it('installs the packages again when package-lock.json has changed', () => {
    writeFileSync(at('package-lock.json'), '{}');
    expect([isInstalled(checkout), isBuilt(checkout)]).toEqual([false, false]);
  });

  it('says every few seconds that a long step goes on', async () => {
    for (const name of ['setup.mjs', 'build-ui.mjs']) cpSync(join(root, 'scripts', name), at(`scripts/${name}`));
    // a build that ends when it is told to
    writeFileSync(
      at('scripts/build.mjs'),
      "import { existsSync } from 'node:fs';\nsetInterval(() => existsSync('go') && process.exit(0), 20);\n",
    );
    writeFileSync(at('src/more.ts'), 'export {};\n');
    const setup = spawn(process.execPath, [at('scripts/setup.mjs'), '--build'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    const ended = new Promise((resolve) => setup.on('exit', resolve));
    setup.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/building: \d+ s …/.test(said)) writeFileSync(at('go'), '');
    });
    expect(await ended).toBe(0);
    expect(said).toMatch(/building …\n(.*building: \d+ s …\n)+.*building: done/);
  });

  it('takes over the lock of a dead process, and fails when the build fails', () => {
    writeFileSync(at('.setup.lock'), '999999999');
    writeFileSync(at('scripts/build.mjs'), 'process.exit(3);\n');
    expect(() => setUp(checkout, { build: true })).toThrow(/build\.mjs" failed/);
    expect(isBuilt(checkout)).toBe(false);
    // the previous build is still in place, so undoing the change is enough
    writeFileSync(at('scripts/build.mjs'), 'process.exit(0);\n');
    expect(setUp(checkout, { build: true })).toEqual([]);
  });
});
