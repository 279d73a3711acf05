import { configDefaults, defineConfig } from 'vitest/config';

/**
 * The product as a whole: a real browser, the package installed in an empty folder, the image's steps, a fresh clone,
 * `understudy run` around programs, twenty workers at once, histories under faults, resets beside fifty writers, a hundred
 * forks that must not hear of each other, and what judges how soon calls are served and so wants the machine for itself:
 * the attacks, and calls on connections to PostgreSQL that do not answer. They take minutes and a Chromium: `npm run test:whole` runs them, `npm test` the others.
 */
const WHOLE = [
  'test/ui/browser/**/*.spec.ts',
  'test/kits/**/*.spec.ts',
  'test/histories/{histories,mutations}.spec.ts',
  'test/safety/attacks/*.spec.ts',
  'test/operations/{container,readme}.spec.ts',
  'test/cli/{run,tasks}.spec.ts',
  'test/process/{lost-store,silent-connections,start}.spec.ts',
  'test/sandbox/{forks-apart,parallel-workers,reset-races}.spec.ts',
];
/** These use no database, or one of a kind of their own: with DATABASE_URL they would do the same again. */
const EITHER_WAY = [
  'test/cli/authority.spec.ts',
  'test/contract/setup.spec.ts',
  'test/histories/checker.spec.ts',
  'test/kernel/{native-postgres,pglite,pglite-directory}.spec.ts',
  'test/operations/{apps-document,reach-examples,snippets}.spec.ts',
  'test/process/{bundle,commands,killed-runner}.spec.ts',
];
const EVERY = 'test/**/*.spec.ts';

export default defineConfig(({ mode }) => {
  // who names a file means it
  const isAsked = process.argv.some((argument) => argument.startsWith('test/'));
  // two leave the processors idle for a quarter of the time; what judges times wants them for itself
  const maxWorkers = mode === 'whole' || isAsked ? 2 : 3;
  const others = [...WHOLE, ...(process.env['DATABASE_URL'] === undefined ? [] : EITHER_WAY)];
  return {
    // Vite would take graphql's ES build while Nest takes its CommonJS one, and types of the one are strangers to the other.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      include: mode === 'whole' && !isAsked ? WHOLE : [EVERY],
      exclude: [...configDefaults.exclude, ...(mode === 'whole' || isAsked ? [] : others)],
      pool: 'threads',
      isolate: false,
      maxWorkers,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      globals: false,
      setupFiles: ['reflect-metadata'],
      globalSetup: ['test/support/global-setup.ts'],
    },
  };
});
