import type { Sandbox } from './sandbox.js';
import type { Server } from './server.js';
import { sharedServer } from './shared-server.js';
import type { SeedDocument } from './types.js';

/** The run's server, for as long as `use` takes. */
export async function withServer(use: (server: Server) => Promise<void>): Promise<void> {
  const server = await sharedServer();
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * What a worker of any test runner works in: one sandbox, put back before each test. One in which a test failed stays as
 * it is, so that a person can look, and the next test gets another.
 */
export class WorkerSandbox {
  private current: Sandbox | undefined;

  constructor(
    private readonly server: Server,
    private readonly seed: SeedDocument,
  ) {}

  /** The sandbox as it was when it was made, with the name of the test on its timeline. */
  async forTest(title: string): Promise<Sandbox> {
    if (!this.current || this.current.isKept) this.current = await this.server.createSandbox(this.seed);
    else await this.current.reset();
    if (title !== '') await this.current.note(title);
    return this.current;
  }

  /** What the test did not live up to was perhaps not a wait of the sandbox's own. */
  noteFailure(): void {
    if (this.current) this.current.failed = true;
  }

  async end(): Promise<void> {
    await this.current?.delete();
  }

  /** One for as long as `use` takes. */
  static async with(server: Server, seed: SeedDocument, use: (worker: WorkerSandbox) => Promise<void>): Promise<void> {
    const worker = new WorkerSandbox(server, seed);
    try {
      await use(worker);
    } finally {
      await worker.end();
    }
  }
}
