import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { RestError } from '../kernel/http/http-error.js';

/** Concurrent hashes: each takes a core and 19 MiB. */
const THREADS = 2;
/** The most people waiting for their turn; further ones are refused. */
const MAX_WAITING = 100;
/** A thread without work ends after this: it takes 12 MB, and a new one is there in 20 ms. */
const IDLE_MS = 1_000;

/** A task for a thread; `stored` makes it a comparison. */
interface Request {
  readonly password: string;
  readonly stored: string | null;
}

interface Job extends Request {
  readonly resolve: (answer: string | boolean) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** Runs while there is no job. */
  idle?: NodeJS.Timeout;
}

/** The library's path, resolved here: an evaluated script has no file to resolve from. */
const library = createRequire(import.meta.url).resolve('@node-rs/argon2');

/** As text, since the sources run both compiled and directly. */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { hashSync, verifySync } = require(workerData.library);
// on Linux this is about the calling thread alone: who serves everybody comes before who tries passwords
if (process.platform === 'linux') {
  try {
    require('node:os').setPriority(10);
  } catch {
    // where that is not allowed, all are alike
  }
}
parentPort.on('message', ({ password, stored }) => {
  try {
    parentPort.postMessage({ answer: stored === null ? hashSync(password, workerData.options) : verifySync(stored, password) });
  } catch (error) {
    parentPort.postMessage({ failed: String(error && error.message) });
  }
});`;

/**
 * Slow hashes in threads of their own, so that neither the event loop nor Node's thread pool for files and DNS waits
 * for them. People logging in come before bulk work.
 */
export class HashThreads {
  private threads: readonly Thread[] = [];
  private readonly people: Job[] = [];
  private readonly bulk: Job[] = [];

  constructor(private readonly options: object) {}

  /** @throws RestError 429 ratelimited when too many people wait already */
  ask(request: Request, kind: 'person' | 'bulk'): Promise<string | boolean> {
    if (kind === 'person' && this.people.length >= MAX_WAITING) {
      return Promise.reject(new RestError(429, 'ratelimited', 1));
    }
    return new Promise((resolve, reject) => {
      (kind === 'person' ? this.people : this.bulk).push({ ...request, resolve, reject });
      this.work();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  private work(): void {
    if (this.people.length + this.bulk.length === 0) return;
    const thread = this.threads.find(({ job }) => job === undefined) ?? this.start();
    if (!thread) return;
    const job = (this.people.shift() ?? this.bulk.shift()) as Job;
    thread.job = job;
    clearTimeout(thread.idle);
    thread.worker.ref();
    thread.worker.postMessage({ password: job.password, stored: job.stored });
  }

  private start(): Thread | undefined {
    if (this.threads.length >= THREADS) return undefined;
    const worker = new Worker(SOURCE, { eval: true, workerData: { library, options: this.options } });
    const thread: Thread = { worker, job: undefined };
    const finish = (settle: (job: Job) => void): void => {
      const { job } = thread;
      thread.job = undefined;
      worker.unref();
      if (job) settle(job);
      thread.idle = setTimeout(() => this.end(thread), IDLE_MS).unref();
      this.work();
    };
    worker.on('message', ({ answer, failed }: { answer?: string | boolean; failed?: string }) =>
      finish((job) => (answer === undefined ? job.reject(new Error(failed)) : job.resolve(answer))),
    );
    worker.on('error', (error) => {
      this.end(thread);
      finish((job) => job.reject(error));
    });
    this.threads = [...this.threads, thread];
    return thread;
  }

  private end(thread: Thread): void {
    this.threads = this.threads.filter((one) => one !== thread);
    void thread.worker.terminate();
  }
}
