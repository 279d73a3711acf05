// Puts the server and what it imports into a few files: two thirds of a start were the finding, reading and linking of
// 2,000 modules (docs/decisions/bundle.md).
import { writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages that stay in node_modules: they look for files beside their code, or others load them by name at run time. */
const OUTSIDE = ['@electric-sql/pglite', '@node-rs/argon2', 'pg', 'picomatch', 'swagger-ui-dist'];

const isOutside = (id) =>
  id.startsWith('node:') ||
  builtinModules.includes(id) ||
  OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));

/** The package that a file of node_modules belongs to. */
const packageOf = (file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1];

/**
 * Bundles `main.js` of a folder with compiled sources into its folder `server`, with a list of the packages that are in
 * it: none of them may be loaded from node_modules as well, as two copies are strangers to each other.
 */
export async function bundle(dist) {
  const build = await rolldown({
    input: join(dist, 'main.js'),
    platform: 'node',
    external: isOutside,
    // decorators register what nobody else refers to
    treeshake: false,
    // as Node does: a package's `module` would be a second copy of what others require
    resolve: { mainFields: ['main'] },
    // optional packages that are absent: their import fails when it is reached, as it would outside a bundle
    onLog: (level, log, report) => {
      if (level === 'warn' && log.code !== 'UNRESOLVED_IMPORT' && !log.id?.includes('node_modules')) report(level, log);
    },
  });
  const { output } = await build.write({
    dir: join(dist, 'server'),
    format: 'esm',
    entryFileNames: 'main.js',
    chunkFileNames: '[name].js',
    // Nest finds classes by their names
    keepNames: true,
  });
  await build.close();
  const files = output.flatMap((chunk) => Object.keys(chunk.modules ?? {}));
  const packages = [...new Set(files.map(packageOf).filter(Boolean))].sort();
  writeFileSync(join(dist, 'server', 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`);
}
