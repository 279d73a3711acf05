import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { sandboxMatchers, type SandboxMatchers } from './expectations.js';
import { WorkerSandbox } from './fixtures.js';
import type { Sandbox } from './sandbox.js';
import type { Server } from './server.js';
import { sharedServer } from './shared-server.js';
import type { SeedDocument } from './types.js';

interface Config {
  projectConfig: { testEnvironmentOptions: { seed?: SeedDocument } };
}

/** The part of Jest's `expect` that is needed here. */
interface Expect {
  (actual: unknown): { toMatchObject(expected: object): void };
  extend(matchers: object): void;
}

/**
 * A Jest environment with the globals `understudy` and `sandbox`: one sandbox per test file, reset before each test,
 * deleted at the end. `testEnvironmentOptions.seed` sets its content. The global `expect` has the matchers of
 * sandboxes.
 */
export default class UnderstudyEnvironment extends NodeEnvironment {
  private server: Server | undefined;
  private worker: WorkerSandbox | undefined;
  private readonly seed: SeedDocument;

  constructor(
    config: ConstructorParameters<typeof NodeEnvironment>[0],
    context: ConstructorParameters<typeof NodeEnvironment>[1],
  ) {
    super(config, context);
    this.seed = (config as unknown as Config).projectConfig.testEnvironmentOptions.seed ?? {};
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.server = await sharedServer();
    this.worker = new WorkerSandbox(this.server, this.seed);
    await this.enter('');
  }

  async handleTestEvent(event: { name: string; test?: { name: string } }): Promise<void> {
    if (event.name === 'setup') this.extendExpect();
    if (event.name === 'test_start') await this.enter(event.test?.name ?? '');
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.worker?.noteFailure();
  }

  /** Absent with `injectGlobals: false`. */
  private extendExpect(): void {
    const { expect } = this.global as unknown as { expect?: Expect };
    expect?.extend(sandboxMatchers((actual, expected) => expect(actual).toMatchObject(expected)));
  }

  override async teardown(): Promise<void> {
    await this.worker?.end();
    await this.server?.stop();
    await super.teardown();
  }

  /** After a failed test this is a new sandbox. */
  private async enter(title: string): Promise<void> {
    const sandbox = await this.worker?.forTest(title);
    Object.assign(this.global, { understudy: this.server, sandbox });
  }
}

declare global {
  /** The run's server. */
  var understudy: Server;
  /** The sandbox of this test file, in its initial state. */
  var sandbox: Sandbox;
  namespace jest {
    // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unused-vars -- the interface that is extended says so
    interface Matchers<R, T = {}> extends SandboxMatchers<Promise<void>> {}
  }
}
