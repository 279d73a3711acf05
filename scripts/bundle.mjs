// Bundles the server and its imports into a few files: finding, reading and linking 2,000 modules was two thirds of the
// start-up time (docs/decisions/bundle.md).
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * Packages that stay in node_modules as dependencies of the package: they look for files beside their code, or are
 * loaded by name at run time. All others are bundled, so they need not be installed.
 */
const OUTSIDE = ['@electric-sql/pglite', '@node-rs/argon2', 'pg'];

/** Optional imports of packages that we never reach, with the reason. Using one throws an error that names it. */
const UNUSED = [
  ['libphonenumber-js/', 'no argument is a phone number'],
  ['@apollo/usage-reporting-protobuf/', 'reports to Apollo are switched off'],
  ['typeorm/driver/(?!postgres/|types/)[\\w-]+/', 'the store is PostgreSQL'],
  ['zod/v4/locales/(?!en\\.|index\\.)', 'messages about arguments of tools are in English'],
  ['undici/lib/mock/', 'requests of deliveries are real'],
  ['typeorm/(?:entity-manager/Mongo|repository/Mongo|cache/Redis)', 'the store is PostgreSQL'],
  ['swagger-ui-dist/', 'its page is served by kernel/http/openapi.ts'],
  ['(?:tinyglobby|fdir|picomatch|glob)/', 'the schema and the entities come from classes, not from files by pattern'],
].map(([path, reason]) => ({
  pattern: new RegExp(`[\\\\/]node_modules[\\\\/]${path.replaceAll('/', '[\\\\/]')}.*\\.[cm]?js$`),
  reason,
}));

const withoutUnused = {
  name: 'without-unused',
  load(id) {
    const unused = UNUSED.find(({ pattern }) => pattern.test(id));
    if (!unused) return null;
    const message = JSON.stringify(`${packageOf(id)} is not in the bundle: ${unused.reason}`);
    const code = `module.exports = new Proxy({}, { get: () => class { constructor() { throw new Error(${message}); } } });`;
    return { code, moduleType: 'js' };
  },
};

const isOutside = (id) =>
  id.startsWith('node:') ||
  builtinModules.includes(id) ||
  OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));

/** The package that a file of node_modules belongs to. */
const packageOf = (file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1];

/** The comments that are kept, licences, are in ASCII like the code, which `charset` writes so. */
const asciiComments = {
  name: 'ascii-comments',
  renderChunk: (code) => code.replaceAll(/[^\p{ASCII}]/gu, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`),
};

/**
 * Bundles `main.js`, the command and the document worker of a folder with compiled sources into its folder `server`,
 * with a list of the bundled packages: none of them may be loaded from node_modules as well, as two copies do not share
 * state.
 */
export async function bundle(dist) {
  const build = await rolldown({
    input: {
      main: join(dist, 'main.js'),
      command: join(dist, 'cli', 'program.js'),
      // entry point of a worker thread
      'document-worker': join(dist, 'tenants', 'seeds', 'document-worker.js'),
    },
    platform: 'node',
    external: isOutside,
    plugins: [withoutUnused, asciiComments],
    // as in the image: graphql-js looks longer at each object otherwise, 1 to 2 % of what `issueCreate` takes
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // kept for the side effects of decorators: they register classes that nothing else imports
    treeshake: false,
    // as Node resolves: a package's `module` entry would be a second copy of what others require; and one list of media
    // types for all who look there, instead of one of each age
    resolve: { mainFields: ['main'], alias: { 'mime-db': fileURLToPath(import.meta.resolve('mime-db')) } },
    // optional packages that are absent: their import fails when it is reached, as it would outside a bundle
    onLog: (level, log, report) => {
      if (level === 'warn' && log.code !== 'UNRESOLVED_IMPORT' && !log.id?.includes('node_modules')) report(level, log);
    },
  });
  const { output } = await build.write({
    dir: join(dist, 'server'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // V8 keeps the text of what it runs, in two bytes a character where any is beyond Latin-1
    charset: 'ascii',
    // Nest identifies classes by their names
    keepNames: true,
    // white space, comments and local variable names were two thirds of the size; names of functions and classes are
    // kept for stack traces
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  });
  await build.close();
  const files = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
  const packages = [...new Set(files.map(packageOf).filter(Boolean))].sort();
  writeFileSync(join(dist, 'server', 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`);
}
