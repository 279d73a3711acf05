import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installKey } from '../../scripts/setup.mjs';
import { CHECKOUT } from '../support/image.js';
import { scratchFolder } from '../support/scratch.js';

/** A build that writes these files below `dist`. */
const writing = (...files: string[]): string =>
  `import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
for (const file of ${JSON.stringify(files)}) {
  mkdirSync(dirname('dist/' + file), { recursive: true });
  writeFileSync('dist/' + file, '');
}
`;
const SERVER = ['server/main.js', 'server/command.js', 'clients/js/testing.js'];
const UI = ['ui/index.html', 'ui/graphiql.html', 'ui/assets/app-1.js.br'];

describe('npm pack in a checkout that is not built', { timeout: 60_000 }, () => {
  const folder = scratchFolder();

  /** Packs a fresh checkout whose builds write these files; answers the exit code, the output, and what is packed. */
  function pack(name: string, server: readonly string[], ui: readonly string[]) {
    const checkout = join(folder, name);
    const at = (path: string): string => join(checkout, path);
    for (const path of ['bin', 'migrations', 'package.json', 'package-lock.json', 'README.md']) {
      cpSync(join(CHECKOUT, path), at(path), { recursive: true });
    }
    for (const path of ['setup.mjs', 'is-built.mjs']) cpSync(join(CHECKOUT, 'scripts', path), at(`scripts/${path}`));
    cpSync(join(CHECKOUT, 'scripts', 'build-ui.mjs'), at('scripts/files.mjs'));
    writeFileSync(at('scripts/build.mjs'), writing(...server, '.kept'));
    writeFileSync(
      at('scripts/build-ui.mjs'),
      `export { filesOf } from './files.mjs';\n${writing(...ui).replace('for (', "if (process.argv[1].endsWith('build-ui.mjs')) for (")}`,
    );
    mkdirSync(at('node_modules'));
    writeFileSync(at('node_modules/.understudy-installed'), installKey(checkout));
    const { status, stderr } = spawnSync('npm', ['pack'], { cwd: checkout, encoding: 'utf8' });
    const [tarball] = readdirSync(checkout).filter((file) => file.endsWith('.tgz'));
    if (tarball === undefined) return { status, stderr, files: null };
    const { stdout } = spawnSync('tar', ['-tzf', at(tarball)], { encoding: 'utf8' });
    return { status, stderr, files: stdout.split('\n').map((path) => path.replace('package/', '')) };
  }

  it('builds the server and the web UI first', () => {
    const { status, stderr, files } = pack('whole', SERVER, UI);
    expect(status, stderr).toBe(0);
    expect(files).toEqual(expect.arrayContaining([...SERVER, ...UI].map((file) => `dist/${file}`)));
    expect(files).toContain('bin/require-node.cjs');
  });

  it('makes no tarball without the server, the libraries or the web UI', () => {
    for (const [name, server, ui] of [
      ['no server', SERVER.slice(1), UI],
      ['no libraries', SERVER.slice(0, 2), UI],
      ['no web UI', SERVER, UI.slice(1)],
    ] as const) {
      const { status, stderr, files } = pack(name, server, ui);
      expect(status, name).not.toBe(0);
      expect(stderr, name).toContain('understudy: not built yet: run "npm run build" first');
      expect(files, name).toBeNull();
    }
  });
});
