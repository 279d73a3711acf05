import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would take graphql's ES build while Nest takes its CommonJS one, and types of the one are strangers to the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.spec.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    // a shared build machine stands still now and then; what fails twice is a fault
    retry: process.env['CI'] === 'true' ? 2 : 0,
    hookTimeout: 60_000,
    globals: false,
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/support/global-setup.ts'],
  },
});
