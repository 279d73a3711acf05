// Checks that every rule that code, tests and documents cite (`docs/reference/chat.md#timestamps`) exists, and that
// links between documents resolve. A heading's anchor is formed as GitHub forms it.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CITED_IN = [
  'src',
  'test',
  'ui/src',
  'docs',
  'bench',
  'deploy',
  'scripts',
  'migrations',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];
/** One document, then its headings: `docs/reference/chat.md#ids, #timestamps`. */
const CITATION = /docs\/reference\/([A-Za-z-]+\.md)((?:(?:, )?#[a-z0-9_-]+)*)/g;
/** A citation whose parenthesis closes too early, so that its heading is none. */
const TORN = /docs\/reference\/[A-Za-z-]+\)\.md/g;
const LINK = /\]\(([^)\s]+)\)/g;

/** Anchors of a document's headings; the second of the same name ends in `-1`. */
function anchorsOf(text) {
  const seen = new Map();
  const anchors = new Set();
  for (const [, heading] of text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    anchors.add(times === 0 ? anchor : `${anchor}-${times}`);
  }
  return anchors;
}

const documents = new Map();
const anchorsAt = (path) => {
  if (!documents.has(path)) documents.set(path, existsSync(path) ? anchorsOf(readFileSync(path, 'utf8')) : null);
  return documents.get(path);
};

/** What is wrong with a reference; null when it is correct. */
function faultOf(path, anchor) {
  if (extname(path) !== '.md') return existsSync(path) ? null : 'no such file';
  const anchors = anchorsAt(path);
  if (anchors === null) return 'no such document';
  return anchor === undefined || anchors.has(anchor) ? null : `no heading #${anchor}`;
}

/** Every file of this project below a path, itself included. */
function filesOf(name) {
  const path = join(root, name);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [name];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const faults = [];
for (const file of CITED_IN.flatMap(filesOf).filter((name) => /\.(ts|tsx|mjs|sql|md)$/.test(name))) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const at = (index) => `${file}:${text.slice(0, index).split('\n').length}`;
  if (path !== fileURLToPath(import.meta.url)) {
    for (const { 1: name, 2: anchors, index } of text.matchAll(CITATION)) {
      for (const anchor of anchors === '' ? [undefined] : anchors.slice(1).split(', #')) {
        const fault = faultOf(join(root, 'docs', 'reference', name), anchor);
        if (fault !== null) faults.push(`${at(index)}: docs/reference/${name}: ${fault}`);
      }
    }
  }
  for (const { 0: torn, index } of text.matchAll(TORN)) faults.push(`${at(index)}: ${torn}: is no citation`);
  if (!file.endsWith('.md')) continue;
  for (const { 1: target, index } of text.matchAll(LINK)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [name, anchor] = target.split('#');
    const place = name === '' ? path : join(dirname(path), decodeURIComponent(name));
    const fault = faultOf(place, anchor);
    if (fault !== null) faults.push(`${at(index)}: ${relative(root, place)}: ${fault}`);
  }
}

for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
