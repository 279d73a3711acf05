import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/kernel/config/package-root.js';

const SOURCES = join(PACKAGE_ROOT, 'ui', 'src');
const BUILT = join(PACKAGE_ROOT, 'dist', 'ui');

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

// docs/reference/web-ui.md#headers
describe('the sources of the web UI', () => {
  const sources = filesOf(SOURCES).filter((file) => /\.tsx?$/.test(file));

  it('make no HTML of text: there is no place where markup could come in', () => {
    const sink = /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|DOMParser|srcdoc/i;
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => sink.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('name no address of another origin but examples on this machine', () => {
    const foreign = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:fetch|import|src=|url)\(?["'`](https?:\/\/[^"'`]+)/g)].map(
        ([, url]) => `${file}: ${url}`,
      ),
    );
    expect(foreign.filter((line) => !line.includes('http://127.0.0.1'))).toEqual([]);
  });
});

describe.skipIf(!existsSync(join(BUILT, 'index.html')))('the built web UI', () => {
  it('keeps what the first page loads within 250 kB of script and 20 kB of style, gzipped', () => {
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
