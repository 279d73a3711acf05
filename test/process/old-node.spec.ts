import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHECKOUT } from '../support/image.js';
import { scratchFolder } from '../support/scratch.js';

const GUARD = '-r ./bin/require-node.cjs ';
const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('an old Node.js', () => {
  const checkout = join(scratchFolder(), 'under study');
  const fake = join(checkout, '..', 'fake.cjs');

  /** A checkout in which nothing is installed. */
  beforeAll(() => {
    mkdirSync(checkout, { recursive: true });
    for (const path of ['bin', 'scripts', 'package.json', 'package-lock.json']) {
      cpSync(join(CHECKOUT, path), join(checkout, path), { recursive: true });
    }
    writeFileSync(
      fake,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });`,
    );
  });

  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['-r', fake, ...args], { cwd: checkout, encoding: 'utf8' });

  it('is refused in one sentence, before anything is installed', () => {
    const before = readdirSync(checkout);
    for (const command of ['scripts/setup.mjs --build', 'scripts/is-built.mjs', 'bin/understudy.mjs start']) {
      const args = command.startsWith('scripts') ? `${GUARD}${command}` : command;
      const { status, stdout, stderr } = run(...args.split(' '));
      expect({ status, stdout }, command).toEqual({ status: 1, stdout: '' });
      expect(stderr, command).toMatch(
        /^understudy: Node\.js 20\.19\.0 or newer is needed, and this is 18\.20\.8 \(.*node.*\)\n$/,
      );
    }
    expect(readdirSync(checkout)).toEqual(before);
  });

  it('is refused by every command of npm that installs, builds or packs', () => {
    const starting = Object.entries(scripts).filter(([, command]) => /scripts\/(setup|is-built)\.mjs/.test(command));
    expect(starting.map(([name]) => name)).toEqual(
      expect.arrayContaining(['prestart', 'build', 'pretest', 'precheck', 'prepack', 'docs', 'prestart:prod']),
    );
    for (const [name, command] of starting) expect(command, name).toMatch(`node ${GUARD}`);
  });

  it('can read what refuses it', () => {
    for (const file of ['require-node.cjs', 'understudy.mjs']) {
      const source = readFileSync(join(CHECKOUT, 'bin', file), 'utf8');
      const as = (target: ts.ScriptTarget): string =>
        ts.transpileModule(source, { compilerOptions: { target, module: ts.ModuleKind.ESNext }, fileName: file })
          .outputText;
      // what an older standard lacks would be written in another way
      expect(as(ts.ScriptTarget.ES2015), file).toBe(as(ts.ScriptTarget.ESNext));
      expect(source, file).not.toMatch(/^(.*= )?await /m);
      expect(source, file).not.toContain("'node:");
    }
  });

  it('is not the one that runs this', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/require-node.cjs'], {
      cwd: checkout,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});
