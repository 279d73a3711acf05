import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { WorkerSandbox } from './fixtures.js';
import type { Server } from './server.js';
import { sharedServer } from './shared-server.js';
import type { SeedDocument } from './types.js';

interface Config {
  projectConfig: { testEnvironmentOptions: { seed?: SeedDocument } };
}

/**
 * A Jest environment with the globals `understudy` and `sandbox`: a sandbox a test file, reset before each test, deleted
 * at the end. `testEnvironmentOptions.seed` says what it is made of.
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
    if (event.name === 'test_start') await this.enter(event.test?.name ?? '');
    if (event.name === 'test_fn_failure') this.worker?.noteFailure();
  }

  override async teardown(): Promise<void> {
    await this.worker?.end();
    await this.server?.stop();
    await super.teardown();
  }

  /** After a failure it is another sandbox than before. */
  private async enter(title: string): Promise<void> {
    const sandbox = await this.worker?.forTest(title);
    Object.assign(this.global, { understudy: this.server, sandbox });
  }
}
