// Builds the web UI into `dist/ui`: the app, and GraphiQL, which is rebuilt only when its version or its folder
// changed. Nothing is done when nothing changed. Files are compressed here, once, and served as they are.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist', 'ui');
const graphiql = join(root, 'dist', 'graphiql');
const STAMP = '.built';

/** The files of the web UI in `dist/ui`, where the compiled code of `src/ui` lies as well. */
export const UI_ENTRIES = ['assets', 'index.html', 'graphiql.html', 'favicon.svg', 'robots.txt', STAMP];

/** Size limits in bytes after gzip: the chat's first page, its styles, and what any other section loads beyond them. */
const BOUNDS = { script: 250_000, style: 20_000, section: 40_000 };

/** The sections, by their sources. Other chunks (editors, document parsers, emoji) are loaded on demand. */
const SECTION = /-page\.tsx$/;

/** Every file at or below a path, in the same order on every machine. */
export function filesOf(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

function keyOf(sources) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesOf(join(root, source)))) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

const stampOf = (folder) => (existsSync(join(folder, STAMP)) ? readFileSync(join(folder, STAMP), 'utf8') : '');
const versionOf = (name) => JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

async function viteBuild(page, outDir) {
  process.env.UI_PAGE = page;
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: join(root, 'ui', 'vite.config.ts'),
    logLevel: 'warn',
    // the manifest maps chunks to files; it is read here and not shipped
    build: { outDir, emptyOutDir: true, manifest: page === 'index' },
  });
}

const compressible = (name) => /\.(js|css|svg|json)$/.test(name);

/** Compresses for the package and for browsers. Quality 10 takes six times as long as 9 for 7 % less. */
export function brotli(content, quality = 9) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  return brotliCompressSync(content, { params });
}

/** The package has the `.br` files alone, so that it stays small; the server unpacks them for who does not take them. */
function compress(folder, { quality, keepOthers }) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter(compressible)) {
    const content = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.br`), brotli(content, quality));
    if (keepOthers) writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    else rmSync(join(folder, name));
  }
}

/**
 * The bundler writes its runtime into a chunk of its own, which the first page would have to request: it is inlined
 * into the app, and kept for chunks loaded later.
 */
export function inlineRuntime(folder) {
  const page = join(folder, 'index.html');
  const html = readFileSync(page, 'utf8');
  const named = (name) => new RegExp(`[^"]*/(${name}-[\\w-]+\\.js)`).exec(html)?.[1] ?? `${name}.js`;
  const [runtime, app] = [named('rolldown-runtime'), named('app')].map((name) => join(folder, 'assets', name));
  const pairs = (list, write) => list.split(',').map((one) => write(...one.trim().split(' as ')));
  const [, lines, exported] = /^([^]*)export\s*\{([^}]*)\};?\s*$/.exec(readFileSync(runtime, 'utf8'));
  const code = readFileSync(app, 'utf8').replace(
    /import\s*\{([^}]*)\}\s*from\s*["']\.\/rolldown-runtime-[\w-]+\.js["'];?/,
    (_, wanted) =>
      `const{${pairs(wanted, (from, to = from) => `${from}:${to}`)}}=(()=>{${lines}` +
      `;return{${pairs(exported, (from, to = from) => `${to}:${from}`)}}})();`,
  );
  if (/from\s*["']\.\/rolldown-runtime/.test(code)) throw new Error(`${app} still imports the lines of the bundler`);
  writeFileSync(app, code);
  writeFileSync(page, html.replace(/\s*<script[^>]*\/rolldown-runtime-[^>]*><\/script>/, ''));
}

/** The files of the first page: those that it names, and their static imports. */
export function checkBounds(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const size = (name) => statSync(join(folder, 'assets', `${name}.gz`)).size;
  const named = (pattern) => [...new Set([...html.matchAll(pattern)].map(([, name]) => name))];
  const sum = (names) => names.reduce((total, name) => total + size(name), 0);
  const weights = { script: sum(named(/assets\/([\w.-]+\.js)/g)), style: sum(named(/assets\/([\w.-]+\.css)/g)) };
  for (const [kind, weight] of Object.entries(weights)) {
    if (weight > BOUNDS[kind])
      throw new Error(`the ${kind} of the first page weighs ${weight} bytes, more than ${BOUNDS[kind]}`);
  }
  for (const [section, weight] of Object.entries(sectionWeights(folder))) {
    if (weight > BOUNDS.section)
      throw new Error(`${section} weighs ${weight} bytes besides the first page, more than ${BOUNDS.section}`);
  }
  return weights;
}

/** The size of each section's scripts and styles that the first page has not loaded, by the section's source. */
export function sectionWeights(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const reach = (key, seen = new Set()) => {
    if (seen.has(key)) return seen;
    seen.add(key);
    for (const next of manifest[key].imports ?? []) reach(next, seen);
    return seen;
  };
  const loadedBy = (keys) => new Set([...keys].flatMap((key) => [manifest[key].file, ...(manifest[key].css ?? [])]));
  // the entry chunk may consist of the app alone and then has its name
  const entry = Object.keys(manifest).find((key) => key === 'index.html' || manifest[key].name === 'app');
  const first = loadedBy(reach(entry));
  const sections = (manifest[entry].dynamicImports ?? []).filter((key) => SECTION.test(key));
  return Object.fromEntries(
    sections.map((key) => {
      const files = [...loadedBy(reach(key))].filter((file) => !first.has(file));
      return [key, files.reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0)];
    }),
  );
}

/** Builds what is not up to date; returns what that was. */
export async function buildUi() {
  const done = [];
  const graphiqlKey = `${keyOf(['ui/graphiql.html', 'ui/src/graphiql', 'ui/vite.config.ts'])}${versionOf('graphiql')} br`;
  if (stampOf(graphiql) !== graphiqlKey) {
    await viteBuild('graphiql', graphiql);
    compress(join(graphiql, 'assets'), { quality: 10, keepOthers: false });
    writeFileSync(join(graphiql, STAMP), graphiqlKey);
    done.push('graphiql');
  }
  const key = keyOf(['ui', 'package-lock.json', 'scripts/build-ui.mjs']);
  if (stampOf(target) === key && done.length === 0) return done;
  const next = join(root, 'dist', 'ui.next');
  await viteBuild('index', next);
  inlineRuntime(next);
  compress(join(next, 'assets'), { quality: 9, keepOthers: true });
  const weights = checkBounds(next);
  if (existsSync(join(graphiql, 'assets'))) cpSync(join(graphiql, 'assets'), join(next, 'assets'), { recursive: true });
  cpSync(join(graphiql, 'graphiql.html'), join(next, 'graphiql.html'));
  writeFileSync(join(next, STAMP), key);
  mkdirSync(target, { recursive: true });
  for (const name of UI_ENTRIES) {
    rmSync(join(target, name), { recursive: true, force: true });
    renameSync(join(next, name), join(target, name));
  }
  rmSync(next, { recursive: true, force: true });
  done.push(`app (script ${Math.round(weights.script / 1000)} kB, style ${Math.round(weights.style / 1000)} kB)`);
  return done;
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) {
  const started = performance.now();
  const done = await buildUi();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (done.length > 0) console.error(`build: built the web UI: ${done.join(', ')} (${seconds} s)`);
}
