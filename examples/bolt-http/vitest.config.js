import { defineConfig } from 'vitest/config';

export default defineConfig({
  // longer than a wait of the sandbox, which says what there was instead
  test: { root: import.meta.dirname, globalSetup: ['understudy/vitest/global-setup'], testTimeout: 30_000 },
});
