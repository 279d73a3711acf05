import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { CHECKOUT } from '../support/image.js';
import { installedPackage } from '../support/package.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt } from '../support/server-process.js';

const app = useApp();

const guide = readFileSync(join(CHECKOUT, 'docs', 'TESTING.md'), 'utf8');
const [start = '', ...recipes] = guide.split(/^## (?=\d+\. )/m);

const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code as string);

/** The files of the introduction, named in their first line. */
const filesOf = (language: string): [string, string][] =>
  blocksOf(start, language).map((code) => [/^(?:\/\/|#) (\S+)/.exec(code)?.[1] as string, code]);

const titles = recipes.map((recipe) => recipe.slice(0, recipe.indexOf('\n')));
const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import pytest']).status === 0,
);
const without = python === undefined ? ' (skipped: no python3 with pytest is installed)' : '';

async function ran(program: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

describe('docs/TESTING.md', { timeout: 240_000 }, () => {
  const folder = scratchFolder();

  beforeAll(() => {
    ensureBuilt();
    installedPackage(folder);
  }, 300_000);

  it('has sixteen recipes, each in both languages and on one screen', () => {
    expect(titles).toHaveLength(16);
    for (const recipe of recipes) {
      expect([blocksOf(recipe, 'ts').length, blocksOf(recipe, 'python').length], recipe).toEqual([1, 1]);
      expect(recipe.split('\n').length, recipe.slice(0, 40)).toBeLessThan(60);
    }
  });

  it('has no block that no spec runs', () => {
    // shell blocks: install.spec.ts runs the one for Node, python.spec.ts installs the package likewise;
    // the configurations of Jest and Playwright are run by install.spec.ts and runners.spec.ts; the line of `run` is
    // what test/cli/run.spec.ts does
    expect(['sh', 'js', 'console'].map((kind) => blocksOf(guide, kind).length)).toEqual([2, 2, 1]);
    const code = blocksOf(guide, '\\w+').length - 5;
    const run = [filesOf('ts'), filesOf('python'), ...recipes.map((recipe) => blocksOf(recipe, '(?:ts|python)'))];
    expect(run.flat()).toHaveLength(code);
  });

  describe('in TypeScript', () => {
    const project = join(folder, 'ts');
    let results: Map<string, string>;
    let said: string;

    beforeAll(async () => {
      mkdirSync(project, { recursive: true });
      for (const [name, code] of filesOf('ts')) writeFileSync(join(project, name), code);
      const head = `import { connect } from 'understudy/testing';\nimport { expect, test } from './fixtures.js';\n`;
      const suites = recipes.map((recipe, n) => {
        const tests = blocksOf(recipe, 'ts').join('\n');
        return `describe('${n + 1}.', () => {\n${tests}});\n`;
      });
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      writeFileSync(
        join(project, 'recipes.test.ts'),
        `import { describe } from 'vitest';\n${head}${suites.join('\n')}`,
      );
      const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
      const report = ['--reporter=default', '--reporter=json', '--outputFile.json=report.json'];
      ({ said } = await ran(process.execPath, [vitest, 'run', '--root', '.', '--maxWorkers=2', ...report], project));
      const { testResults } = JSON.parse(readFileSync(join(project, 'report.json'), 'utf8')) as {
        testResults: { assertionResults: { fullName: string; status: string }[] }[];
      };
      const all = testResults.flatMap(({ assertionResults }) => assertionResults);
      results = new Map(all.map(({ fullName, status }) => [fullName, status]));
    }, 240_000);

    it('the introduction passes', () => {
      expect(results.get('the bot deploys what it is asked for'), said).toBe('passed');
    });

    it.each(titles)('%s', (title) => {
      const own = [...results].filter(([name]) => name.startsWith(`${title.split(' ')[0]} `));
      expect(own.length, said).toBeGreaterThan(0);
      for (const [name, status] of own) expect(status, `${name}\n${said}`).toBe('passed');
    });

    it('the recipes type-check', async () => {
      const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', skipLibCheck: true };
      const lib = { lib: ['es2023', 'esnext.disposable', 'dom'], types: ['node'] };
      const config = { compilerOptions: { ...options, ...lib }, include: ['*.ts'] };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
      const compiler = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
      const { code, said: found } = await ran(process.execPath, [compiler, '-p', '.'], project);
      expect(code, found).toBe(0);
    });
  });

  describe.skipIf(python === undefined)(`in Python${without}`, () => {
    const project = join(folder, 'python');
    let results: Map<string, string>;
    let said: string;
    const testsOf = (code: string): string[] =>
      [...code.matchAll(/^def (test_\w+)/gm)].map(([, name]) => name as string);

    beforeAll(async () => {
      mkdirSync(project, { recursive: true });
      for (const [name, code] of filesOf('python')) writeFileSync(join(project, name), code);
      const head =
        'import json, re, socket, urllib.error, urllib.parse, urllib.request\nimport pytest\nfrom understudy_testing import connect\n\n\n';
      const tests = recipes.flatMap((recipe) => blocksOf(recipe, 'python')).join('\n\n');
      writeFileSync(join(project, 'test_recipes.py'), head + tests);
      const options = ['-p', 'understudy_testing.pytest_plugin', '-p', 'no:cacheprovider', '-v', '--color=no'];
      ({ said } = await ran(python as string, ['-m', 'pytest', ...options, '.'], project, {
        PYTHONPATH: join(CHECKOUT, 'clients', 'python', 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        // python.spec.ts covers the start of a server
        UNDERSTUDY_URL: app.baseUrl,
        UNDERSTUDY_ADMIN_TOKEN: app.settings.adminToken as string,
      }));
      results = new Map(
        [...said.matchAll(/::(test_\w+)(?:\[\w+\])? (\w+)/g)].map(([, name, state]) => [
          name as string,
          state as string,
        ]),
      );
    }, 240_000);

    it('the introduction passes', () => {
      expect(results.get('test_the_bot_deploys_what_it_is_asked_for'), said).toBe('PASSED');
    });

    it.each(titles)('%s', (title) => {
      const recipe = recipes[titles.indexOf(title)] as string;
      const own = testsOf(blocksOf(recipe, 'python').join('\n'));
      expect(own.length).toBeGreaterThan(0);
      for (const name of own) expect(results.get(name), `${name}\n${said}`).toBe('PASSED');
    });
  });
});
