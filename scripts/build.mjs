// Builds into a temporary folder and then replaces `dist` as a whole: compiled sources, the server bundled from them,
// and the migrated data directory that the first start on an empty embedded database copies. `npm run build` calls this
// through setup.mjs, which installs packages first.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotli } from './build-ui.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dist, next, old] = ['dist', 'dist.next', 'dist.old'].map((name) => join(root, name));

rmSync(next, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** Prints each step's duration, as all of them take half a minute or more. */
let last = performance.now();
const took = (what) => {
  const now = performance.now();
  console.error(`build: ${what} (${((now - last) / 1000).toFixed(1)} s)`);
  last = now;
};
const compile = (project, folder) => {
  const { status } = spawnSync(process.execPath, [compiler, '-p', project, '--outDir', folder], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
};
/**
 * The scripts and styles of Swagger UI for `/api/docs`, compressed. They are part of the build, as their package comes
 * with a dependency that reports installations.
 */
function packSwaggerUi(folder) {
  mkdirSync(folder, { recursive: true });
  const source = join(root, 'node_modules', 'swagger-ui-dist');
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    writeFileSync(join(folder, `${name}.br`), brotli(readFileSync(join(source, name))));
  for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
    cpSync(join(source, name), join(folder, name));
}

compile('tsconfig.build.json', next);
took('compiled the server');
// the image is built without the test libraries
const clients = join('clients', 'js', 'tsconfig.json');
if (existsSync(join(root, clients))) {
  compile(clients, join(next, 'clients', 'js'));
  took('compiled the libraries for tests');
}
// imported here, so that an error in the sources is reported first
const { bundle } = await import('./bundle.mjs');
await bundle(next);
took('bundled the server');
packSwaggerUi(join(next, 'swagger'));

// A template carries the hash of its migrations; one that still fits saves three seconds.
const isTemplate = (name) => /^template-[0-9a-f]+\.tar$/.test(name);
const kept = existsSync(dist) ? readdirSync(dist).filter(isTemplate) : [];
// the web UI is built separately, with a stamp of its own
const UI_ENTRIES = ['assets', 'index.html', 'graphiql.html', 'favicon.svg', 'robots.txt', '.built'];
mkdirSync(join(next, 'ui'), { recursive: true });
for (const name of [...UI_ENTRIES.map((entry) => join('ui', entry)), 'graphiql']) {
  if (existsSync(join(dist, name))) renameSync(join(dist, name), join(next, name));
}
for (const name of kept) renameSync(join(dist, name), join(next, name));
rmSync(old, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, old);
renameSync(next, dist);
rmSync(old, { recursive: true, force: true });

const { makeTemplate } = await import(pathToFileURL(join(dist, 'kernel', 'database', 'make-template.js')).href);
const template = await makeTemplate();
took('made the database that a first start copies');
for (const name of readdirSync(dist)) if (isTemplate(name) && join(dist, name) !== template) rmSync(join(dist, name));
