import type { Sandbox } from './sandbox.js';
import type { Server } from './server.js';
import { sharedServer } from './shared-server.js';
import type { SeedDocument } from './types.js';

/** Runs `use` with the run's server. */
export async function withServer(use: (server: Server) => Promise<void>): Promise<void> {
  const server = await sharedServer();
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * The sandbox of one test worker, reset before each test. A sandbox in which a test failed is kept for inspection, and
 * the next test gets a new one.
 */
export class WorkerSandbox {
  private current: Sandbox | undefined;

  constructor(
    private readonly server: Server,
    private readonly seed: SeedDocument,
  ) {}

  /** The reset sandbox, with the test's name on its timeline. */
  async forTest(title: string): Promise<Sandbox> {
    if (!this.current || this.current.isKept) this.current = await this.server.createSandbox(this.seed);
    else await this.current.reset();
    if (title !== '') await this.current.note(title);
    return this.current;
  }

  /** Marks the sandbox as failed: the failing expectation may be the test's own rather than a wait of the sandbox. */
  noteFailure(): void {
    if (this.current) this.current.failed = true;
  }

  async end(): Promise<void> {
    await this.current?.delete();
  }

  /** Runs `use` with one. */
  static async with(server: Server, seed: SeedDocument, use: (worker: WorkerSandbox) => Promise<void>): Promise<void> {
    const worker = new WorkerSandbox(server, seed);
    try {
      await use(worker);
    } finally {
      await worker.end();
    }
  }
}
