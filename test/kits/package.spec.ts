import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHECKOUT } from '../support/image.js';
import { packed, type Packed } from '../support/package.js';
import { ensureBuilt } from '../support/server-process.js';

interface Manifest {
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  engines: { node: string };
}

/** The contents of the files below a path of the checkout. */
function filesBelow(path: string): string[] {
  const whole = join(CHECKOUT, path);
  if (statSync(whole).isFile()) return [whole];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/node_modules|\.png$/.test(join(entry.parentPath, entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('npm pack', { timeout: 120_000 }, () => {
  let tarball: Packed;
  let manifest: Manifest;

  const at = (...path: string[]): string => join(tarball.folder, ...path);
  const tool = (name: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(CHECKOUT, 'node_modules', ...name.split('/')), ...args], { encoding: 'utf8' });

  beforeAll(() => {
    ensureBuilt();
    tarball = packed();
    manifest = JSON.parse(readFileSync(at('package.json'), 'utf8')) as Manifest;
  }, 300_000);

  it('is smaller than 5 MB with the web UI, and has each script once, compressed', () => {
    expect(existsSync(at('dist', 'ui', 'index.html')), 'the web UI is built: npm run build').toBe(true);
    expect(existsSync(at('dist', 'ui', 'graphiql.html'))).toBe(true);
    expect(statSync(tarball.file).size).toBeLessThan(5_000_000);
    const assets = tarball.names.filter((name) => name.startsWith('dist/ui/assets/'));
    expect(assets.length).toBeGreaterThan(10);
    expect(tarball.names).toContain('dist/swagger/swagger-ui-bundle.js.br');
    expect(assets.filter((name) => !/\.(br|ttf)$/.test(name))).toEqual([]);
  });

  it('contains what a start needs, and neither sources nor tests', () => {
    for (const name of ['bin/understudy.mjs', 'dist/server/main.js', 'dist/server/command.js', 'migrations']) {
      expect(existsSync(at(name)), name).toBe(true);
    }
    for (const name of [
      'src',
      'test',
      'clients',
      'scripts',
      'node_modules',
      'dist/.built',
      'dist/cli',
      'dist/kernel',
    ]) {
      expect(existsSync(at(name)), name).toBe(false);
    }
    expect(tarball.names.filter((name) => /\.map$|template-/.test(name))).toEqual([]);
  });

  it('depends on what cannot be bundled, and on nothing that is', () => {
    const bundled = JSON.parse(readFileSync(at('dist', 'server', 'packages.json'), 'utf8')) as string[];
    const names = Object.keys(manifest.dependencies);
    expect(names).toContain('pg');
    expect(names.filter((name) => bundled.includes(name))).toEqual([]);
  });

  it('brings no package that reports installations', () => {
    const lock = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; dependencies?: Record<string, string> }>;
    };
    const installed = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
    expect(installed.length).toBeGreaterThan(10);
    const named = installed.flatMap(([path, { dependencies = {} }]) => [path, ...Object.keys(dependencies)]);
    expect(named.filter((name) => /scarf|swagger-ui/.test(name))).toEqual([]);
  });

  it('exports files that exist, with types beside them', () => {
    for (const [name, target] of Object.entries(manifest.exports)) {
      const files = typeof target === 'string' ? [target] : [target.types, target.default];
      for (const file of files) expect(existsSync(at(file)), `${name}: ${file}`).toBe(true);
    }
    expect(manifest.bin).toEqual({ understudy: 'bin/understudy.mjs' });
    expect(manifest.engines.node).toMatch(/^>=20/);
  });

  it('has one program to start, and each module once', () => {
    const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['start']).toBe('node bin/understudy.mjs start');
    // the command imports that file to start the server, not a copy of it
    expect(readFileSync(at('dist', 'server', 'command.js'), 'utf8')).toMatch(/import\([`'"]\.\/main\.js[`'"]\)/);
  });

  it('is never presented as the registry’s package of that name', () => {
    const lines = ['README.md', 'CONTRIBUTING.md', 'clients', 'deploy', 'docs', 'examples', 'src/cli', 'ui/src']
      .flatMap(filesBelow)
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .filter((line) => /npx (-[a-z-]+ )*understudy\b/.test(line));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !/npx --no-install understudy/.test(line))).toEqual([]);
  });

  it('has libraries whose relative imports all exist', () => {
    for (const target of Object.values(manifest.exports)) {
      if (typeof target === 'string') continue;
      for (const file of [target.types, target.default]) {
        const text = readFileSync(at(file), 'utf8');
        for (const [, path] of text.matchAll(/from '(\.[^']+)'/g)) {
          expect(existsSync(at(dirname(file), path as string)), `${file}: ${path}`).toBe(true);
        }
      }
    }
  });

  it('passes publint', () => {
    const { status, stdout, stderr } = tool('publint/src/cli.js', tarball.file, '--strict');
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toContain('All good!');
  });

  it('has types that attw accepts for importers', () => {
    const { status, stdout, stderr } = tool(
      '@arethetypeswrong/cli/dist/index.js',
      tarball.file,
      '--profile=esm-only',
      '--no-color',
      '--no-emoji',
    );
    expect(status, stdout + stderr).toBe(0);
    for (const name of Object.keys(manifest.exports)) expect(stdout).toContain(`"understudy${name.slice(1)}"`);
  });

  it('runs where it is unpacked: the command works without the checkout', () => {
    for (let above = tarball.folder; above !== dirname(above); above = dirname(above)) {
      expect(existsSync(join(above, 'node_modules')), above).toBe(false);
    }
    const help = execFileSync(process.execPath, [at('bin', 'understudy.mjs'), '--version'], { encoding: 'utf8' });
    expect(help.trim()).toBe((JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string }).version);
  });
});
