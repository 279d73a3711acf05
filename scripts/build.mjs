// Builds `dist` aside and puts it in place whole: compiled sources, the server bundled from them, and the migrated data
// directory that the first start on an empty embedded database copies. `npm run build` calls this through setup.mjs, so that packages are there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dist, next, old] = ['dist', 'dist.next', 'dist.old'].map((name) => join(root, name));

rmSync(next, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', next], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (status !== 0) process.exit(1);
// loaded here, so that a wrong source is told first
const { bundle } = await import('./bundle.mjs');
await bundle(next);

// A template carries the hash of its migrations; one that still fits is worth three seconds.
const isTemplate = (name) => /^template-[0-9a-f]+\.tar$/.test(name);
const kept = existsSync(dist) ? readdirSync(dist).filter(isTemplate) : [];
for (const name of kept) renameSync(join(dist, name), join(next, name));
rmSync(old, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, old);
renameSync(next, dist);
rmSync(old, { recursive: true, force: true });

const { makeTemplate } = await import(pathToFileURL(join(dist, 'kernel', 'database', 'make-template.js')).href);
const template = await makeTemplate();
for (const name of readdirSync(dist)) if (isTemplate(name) && join(dist, name) !== template) rmSync(join(dist, name));
