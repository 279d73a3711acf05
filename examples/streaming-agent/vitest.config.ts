import { defineConfig } from 'vitest/config';

export default defineConfig({
  // longer than a wait of the sandbox, whose error says more than the runner's timeout
  test: { root: import.meta.dirname, globalSetup: ['understudy/vitest/global-setup'], testTimeout: 30_000 },
});
