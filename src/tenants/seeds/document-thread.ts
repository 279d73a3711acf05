import { BadRequestException, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PACKAGE_ROOT } from '../../kernel/config/package-root.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { LargeDocument } from '../../kernel/http/large-document.js';
import type { ManifestSurface } from '../../messaging/provisioning/manifest-warnings.js';
import { restoreSlice } from './document-parts.js';
import type { DocumentAnswer, DocumentRequest } from './document-worker.js';
import type { Seed } from './seed-types.js';

/** The most bytes of documents being parsed or waiting for it; beyond it they are refused. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The most memory a document may take while it is parsed, in MiB. */
const MEMORY = 768;
/** An unused thread ends after this, in milliseconds. */
const IDLE_MS = 10_000;

/** The sources run compiled or directly; a thread needs compiled code. */
const FILE = import.meta.url.endsWith('.ts')
  ? pathToFileURL(join(PACKAGE_ROOT, 'dist', 'tenants', 'seeds', 'document-worker.js'))
  : new URL('./document-worker.js', import.meta.url);

type RequestDocument = (request: DocumentRequest) => Promise<DocumentAnswer>;

/**
 * Parses and validates large documents in a thread of its own, one after the other, so that other calls are answered
 * meanwhile.
 */
@Injectable()
export class DocumentThread implements OnApplicationShutdown {
  private worker: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.worker?.terminate();
  }

  /**
   * The document without its parts.
   * @throws BadRequestException, RestError 400, 413, 503
   */
  fields(document: LargeDocument): Promise<Record<string, unknown>> {
    return this.inTurn(document, async (ask) => {
      const { bytes, isYaml } = document;
      return (good(await ask({ ask: 'fields', bytes, isYaml })) as { fields: Record<string, unknown> }).fields;
    });
  }

  /**
   * The whole document, validated by itself.
   * @throws BadRequestException, RestError 400, 413, 503
   */
  seed(
    document: LargeDocument,
    options: { nowMicros: number; strict: boolean; surface: ManifestSurface },
  ): Promise<Seed> {
    return this.inTurn(document, async (ask) => {
      const { bytes, isYaml } = document;
      const read = good(await ask({ ask: 'seed', bytes, isYaml, ...options })) as Extract<
        DocumentAnswer,
        { seed: Seed }
      >;
      for (let left = read.slices; left > 0; left--) {
        await setImmediate();
        const { slice } = good(await ask({ ask: 'slice' })) as Extract<DocumentAnswer, { slice: object }>;
        restoreSlice(read.seed, slice);
      }
      return read.seed;
    });
  }

  private async inTurn<T>(
    { bytes: { length } }: LargeDocument,
    work: (ask: RequestDocument) => Promise<T>,
  ): Promise<T> {
    if (this.bytes + length > MAX_BYTES) throw new RestError(503, 'service_unavailable', 1);
    this.bytes += length;
    clearTimeout(this.timer);
    const turn = this.last.then(() => work(this.asking()));
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.bytes -= length;
      if (this.bytes === 0) this.rest();
    }
  }

  private asking(): RequestDocument {
    const worker = (this.worker ??= this.start());
    return (request) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => {
          worker.removeAllListeners('message').removeAllListeners('failed');
          if (error) reject(error);
        };
        worker.once('message', (answer: DocumentAnswer) => {
          end();
          resolve(answer);
        });
        worker.once('failed', end);
        worker.postMessage(request);
      });
  }

  private start(): Worker {
    const worker = new Worker(FILE, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY } });
    const ended = (error: Error): void => {
      if (this.worker === worker) this.worker = undefined;
      worker.emit('failed', error);
    };
    worker.on('error', (error: Error & { code?: string }) =>
      // a small text can expand to more than fits into memory
      ended(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new RestError(413, 'payload_too_large') : error),
    );
    worker.on('exit', () => ended(new RestError(503, 'service_unavailable', 1)));
    return worker;
  }

  /** The thread's memory is released when no document arrives for a while. */
  private rest(): void {
    this.timer = setTimeout(() => {
      const { worker } = this;
      this.worker = undefined;
      void worker?.terminate();
    }, IDLE_MS).unref();
  }
}

/** @throws the thread's refusal */
function good(answer: DocumentAnswer): DocumentAnswer {
  if ('failed' in answer) throw new Error(answer.failed);
  if (!('refused' in answer)) return answer;
  const { status, message } = answer.refused;
  throw typeof message === 'string' ? new RestError(status, message) : new BadRequestException(message);
}
