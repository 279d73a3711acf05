import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBounds, sectionWeights } from '../../scripts/build-ui.mjs';
import { PACKAGE_ROOT } from '../../src/kernel/config/package-root.js';
import { scratchFolder } from '../support/scratch.js';

const SOURCES = join(PACKAGE_ROOT, 'ui', 'src');
const BUILT = join(PACKAGE_ROOT, 'dist', 'ui');

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

// docs/reference/web-ui.md#headers
describe('the sources of the web UI', () => {
  const sources = filesOf(SOURCES).filter((file) => /\.tsx?$/.test(file));

  it('never build HTML from text, so that no markup can be injected', () => {
    const sink = /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|DOMParser|srcdoc/i;
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => sink.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('contain no address of another origin except examples on this machine', () => {
    const foreign = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:fetch|import|src=|url)\(?["'`](https?:\/\/[^"'`]+)/g)].map(
        ([, url]) => `${file}: ${url}`,
      ),
    );
    expect(foreign.filter((line) => !line.includes('http://127.0.0.1'))).toEqual([]);
  });
});

describe('the build of the web UI', () => {
  const folder = scratchFolder();

  /** A Vite build with files of the given sizes after gzip, and their imports. */
  function built(bytes: { section: number; shared: number; editor: number }): string {
    const manifest = {
      'index.html': {
        file: 'assets/index.js',
        dynamicImports: ['src/inspect/inspect-page.tsx', 'src/kit/code-editor.tsx'],
      },
      'src/inspect/inspect-page.tsx': {
        file: 'assets/inspect-page.js',
        css: ['assets/inspect-page.css'],
        imports: ['_shared.js', 'index.html'],
        dynamicImports: ['src/kit/code-editor.tsx'],
      },
      '_shared.js': { file: 'assets/shared.js' },
      'src/kit/code-editor.tsx': { file: 'assets/code-editor.js' },
    };
    mkdirSync(join(folder, '.vite'), { recursive: true });
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'index.html'), '<script src="./assets/index.js"></script>');
    const sizes = {
      'index.js': 100_000,
      'inspect-page.js': bytes.section,
      'inspect-page.css': 1_000,
      'shared.js': bytes.shared,
      'code-editor.js': bytes.editor,
    };
    for (const [name, size] of Object.entries(sizes))
      writeFileSync(join(folder, 'assets', `${name}.gz`), 'x'.repeat(size));
    return folder;
  }

  it('fails if a section loads more than 40 kB beyond the first page, without editors', () => {
    const light = built({ section: 19_000, shared: 20_000, editor: 98_000 });
    expect(sectionWeights(light)).toEqual({ 'src/inspect/inspect-page.tsx': 40_000 });
    expect(() => checkBounds(light)).not.toThrow();
    expect(() => checkBounds(built({ section: 19_001, shared: 20_000, editor: 0 }))).toThrow(
      'src/inspect/inspect-page.tsx weighs 40001 bytes besides the first page, more than 40000',
    );
  });
});

const isBuilt = existsSync(join(BUILT, 'index.html'));
describe.skipIf(!isBuilt)(`the built web UI${isBuilt ? '' : ' (skipped: it is not built)'}`, () => {
  it('loads at most 250 kB of script and 20 kB of style for the first page, gzipped', () => {
    const html = readFileSync(join(BUILT, 'index.html'), 'utf8');
    const weigh = (ending: string): number =>
      [...new Set([...html.matchAll(new RegExp(`assets/([\\w.-]+\\.${ending})`, 'g'))].map(([, name]) => name))].reduce(
        (sum, name) => sum + statSync(join(BUILT, 'assets', `${name}.gz`)).size,
        0,
      );
    expect(weigh('js')).toBeGreaterThan(50_000);
    expect(weigh('js')).toBeLessThanOrEqual(250_000);
    expect(weigh('css')).toBeGreaterThan(1_000);
    expect(weigh('css')).toBeLessThanOrEqual(20_000);
  });
});
