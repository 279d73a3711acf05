import { expect as baseExpect, test as base } from '@playwright/test';
import { sandboxMatchers } from './expectations.js';
import { WorkerSandbox, withServer } from './fixtures.js';
import type { Sandbox } from './sandbox.js';
import type { Server } from './server.js';
import type { SeedDocument } from './types.js';

/**
 * Playwright's `test` with a server and a sandbox: one sandbox per worker, reset before each test, deleted at the end.
 */
export const test = base.extend<
  { sandbox: Sandbox },
  { understudy: Server; seed: SeedDocument; workerSandbox: WorkerSandbox }
>({
  understudy: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the parameter's names
    async ({}, use) => withServer(use),
    { scope: 'worker' },
  ],
  seed: [{}, { scope: 'worker', option: true }],
  workerSandbox: [async ({ understudy, seed }, use) => WorkerSandbox.with(understudy, seed, use), { scope: 'worker' }],
  sandbox: async ({ workerSandbox }, use, info) => {
    await use(await workerSandbox.forTest(info.title));
    if (info.status !== info.expectedStatus) workerSandbox.noteFailure();
  },
});

export const expect = baseExpect.extend(
  sandboxMatchers((actual, expected) => baseExpect(actual).toMatchObject(expected as Record<string, unknown>)),
);
