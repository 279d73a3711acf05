import { expect as baseExpect, test as baseTest } from 'vitest';
import { sandboxMatchers, type SandboxMatchers } from './expectations.js';
import { WorkerSandbox, withServer } from './fixtures.js';
import type { Sandbox } from './sandbox.js';
import type { Server } from './server.js';
import type { SeedDocument } from './types.js';

export interface UnderstudyFixtures {
  /** The run's server. */
  understudy: Server;
  /** The sandbox's content: `test.extend({ seed: [{ … }, { scope: 'worker' }] })`. */
  seed: SeedDocument;
  /** Manages this worker's sandbox. */
  workerSandbox: WorkerSandbox;
  /** This worker's sandbox, in its initial state. */
  sandbox: Sandbox;
}

/** Vitest's `test` with a server and a sandbox: one sandbox per worker, reset before each test, deleted at the end. */
export const test = baseTest.extend<UnderstudyFixtures>({
  understudy: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the parameter's names
    async ({}, use) => withServer(use),
    { scope: 'worker' },
  ],
  seed: [{}, { scope: 'worker' }],
  workerSandbox: [async ({ understudy, seed }, use) => WorkerSandbox.with(understudy, seed, use), { scope: 'worker' }],
  sandbox: async ({ workerSandbox, task }, use) => {
    await use(await workerSandbox.forTest(task.name));
    if (task.result?.state === 'fail') workerSandbox.noteFailure();
  },
});

baseExpect.extend(sandboxMatchers((actual, expected) => baseExpect(actual).toMatchObject(expected)));

export const expect = baseExpect;

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unused-vars -- the interface that is extended says so
  interface Matchers<T = any> extends SandboxMatchers<Promise<void>> {}
}
