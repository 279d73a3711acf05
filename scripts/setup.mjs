// Makes a checkout ready to run: installs the packages when package-lock.json changed since the last time, and with
// --build builds when a source changed. It runs before anything is installed, so it uses Node alone. When two run at
// once, one works and the other waits.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
// a module that needs no package
import { filesOf } from './build-ui.mjs';

/** The sources of `dist`. */
const SOURCES = [
  'src',
  'clients/js',
  'migrations',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
];
const INSTALLED = 'node_modules/.understudy-installed';
const BUILT = 'dist/.built';
const LOCK = '.setup.lock';

const contentOrNothing = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Hashes what should be installed: the lock file, and what native packages depend on. */
export function installKey(root) {
  const { platform, arch, versions } = process;
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${platform} ${arch} ${versions.modules}`)
    .digest('hex');
}

/** Hashes what should be built, by content: a checkout gives files new times, and a deleted file has none. */
export function buildKey(root) {
  const hash = createHash('sha256').update(installKey(root));
  for (const source of SOURCES) {
    for (const file of filesOf(join(root, source))) {
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

export const isInstalled = (root) => contentOrNothing(join(root, INSTALLED)) === installKey(root);
export const isBuilt = (root) => contentOrNothing(join(root, BUILT)) === buildKey(root);

/** The lock of a process that has ended does not count. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function takeLock(root) {
  const file = join(root, LOCK);
  for (let isAnnounced = false; ;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(contentOrNothing(file));
    if (holder > 0 && !isAlive(holder)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!isAnnounced) console.error(`setup: waiting for process ${holder}, which sets this checkout up …`);
    isAnnounced = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/** Output goes to standard error: standard output belongs to the command that the user ran. */
function run(root, command, ...args) {
  const env = { ...process.env };
  // NODE_ENV may be set for the server; the build needs the development packages
  delete env.NODE_ENV;
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env });
  if (error) throw error;
  if (status !== 0) throw new Error(`"${[command, ...args].join(' ')}" failed`);
}

/** Says every five seconds that the work goes on. It ends with the pipe to its parent, so also when that is killed. */
const PROGRESS = `
  const [what] = process.argv.slice(1);
  const started = performance.now();
  setInterval(() => console.error(\`setup: \${what}: \${Math.round((performance.now() - started) / 1000)} s …\`), 5000);
  process.stdin.resume().on('end', () => process.exit());
`;

/**
 * Prints what is being done, every five seconds that it goes on, and afterwards how long it took: the first start on a
 * fresh clone takes a minute or two here. The work blocks this process, so another one counts.
 */
function timed(what, work) {
  console.error(`setup: ${what} …`);
  const started = performance.now();
  const progress = spawn(process.execPath, ['-e', PROGRESS, what], { stdio: ['pipe', 'ignore', 2] });
  try {
    work();
  } finally {
    progress.kill('SIGKILL');
  }
  console.error(`setup: ${what}: done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function install(root) {
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { npm_execpath: npm } = process.env;
  if (npm !== undefined && /\.[cm]?js$/.test(npm)) run(root, process.execPath, npm, ...args);
  else run(root, 'npm', ...args);
  writeFileSync(join(root, INSTALLED), installKey(root));
}

function build(root) {
  const key = buildKey(root);
  run(root, process.execPath, join(root, 'scripts', 'build.mjs'));
  writeFileSync(join(root, BUILT), key);
}

/** The web UI, if it is wanted: it has a stamp of its own and does nothing when nothing changed. */
function buildUi(root) {
  run(root, process.execPath, join(root, 'scripts', 'build-ui.mjs'));
}

/** Does what is missing and returns what that was. `build: 'only'` leaves the packages alone. */
export function setUp(root, options) {
  const done = [];
  const mayInstall = options.build !== 'only';
  const isReady = () => (!mayInstall || isInstalled(root)) && (!options.build || isBuilt(root));
  if (isReady()) return done;
  const release = takeLock(root);
  try {
    // checked again: the previous holder of the lock may have done it
    if (mayInstall && !isInstalled(root)) {
      const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
      timed(`installing ${Object.keys(packages ?? {}).length} packages`, () => install(root));
      done.push('installed');
    }
    if (options.build && !isBuilt(root)) {
      timed('building', () => build(root));
      done.push('built');
    }
  } finally {
    release();
  }
  return done;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const root = fileURLToPath(new URL('..', import.meta.url));
    setUp(root, { build: process.argv.includes('--build') });
    // a plain start does not wait for the web UI; full mode, a build and the tests need it
    if (process.argv.includes('--ui') || process.env.SVC_MODE === 'full') buildUi(root);
  } catch (error) {
    console.error(`setup: ${error.message}`);
    process.exit(1);
  }
}
