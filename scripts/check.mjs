// Everything a machine can check before a review: types, lint, the boundaries between folders, formatting,
// generated documents. All checks run, so that one report shows everything; the tests are `npm test`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (...path) => join(root, 'node_modules', ...path);
const checks = [
  ['types', tool('typescript', 'bin', 'tsc'), '--noEmit', '-p', 'tsconfig.json'],
  ['types of the clients', tool('typescript', 'bin', 'tsc'), '--noEmit', '-p', 'clients/js/tsconfig.json'],
  ['types of the web UI', tool('typescript', 'bin', 'tsc'), '-p', 'ui/tsconfig.json'],
  ['lint', tool('oxlint', 'bin', 'oxlint'), '--type-aware', '--deny-warnings'],
  [
    'boundaries',
    tool('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.mjs',
    'src',
    'ui/src',
  ],
  ['format', tool('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
  ['documents', join(root, 'scripts', 'generate-docs.mjs'), '--check'],
  ['references', join(root, 'scripts', 'check-references.mjs')],
  ['hand-written SQL', join(root, 'scripts', 'check-sql.mjs')],
  ['functions of the database', join(root, 'scripts', 'sql-functions.mjs')],
];

const failed = [];
for (const [name, ...command] of checks) {
  const started = Date.now();
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`check: ${name} ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.log(`check: failed: ${failed.join(', ')}`);
  process.exit(1);
}
