import { BadRequestException } from '@nestjs/common';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PACKAGE_ROOT } from '../../kernel/config/package-root.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { DocumentAnswer, DocumentRequest } from './document-worker.js';

/** The most memory a document may take while it is parsed, in MiB. */
const MEMORY = 512;
/** The sources run compiled or directly; a thread needs compiled code. */
const FILE = import.meta.url.endsWith('.ts')
  ? pathToFileURL(join(PACKAGE_ROOT, 'dist', 'tenants', 'seeds', 'document-worker.js'))
  : new URL('./document-worker.js', import.meta.url);

/** A thread that parses and validates documents, one at a time. */
export class DocumentThread {
  private readonly worker = new Worker(FILE, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY } });
  private readonly ready: Promise<void>;
  private over: Error | undefined;
  private asked: { answer: (answer: DocumentAnswer) => void; fail: (error: Error) => void } | undefined;

  constructor() {
    const { worker } = this;
    this.ready = new Promise((resolve, reject) => {
      this.asked = { answer: () => resolve(), fail: reject };
    });
    // heard by who asks first
    this.ready.catch(() => undefined);
    worker.on('message', (answer: DocumentAnswer) => this.settle()?.answer(answer));
    worker.on('error', (error: Error & { code?: string }) =>
      // a small text can expand to more than fits into memory
      this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new RestError(413, 'payload_too_large') : error),
    );
    worker.on('exit', () => this.end(new RestError(503, 'service_unavailable', 1)));
  }

  get isOver(): boolean {
    return this.over !== undefined;
  }

  /** @throws BadRequestException, RestError 400, 413; 503 request_timeout, with which the thread ends */
  async ask<Answer extends DocumentAnswer>(request: DocumentRequest, limitMs: number): Promise<Answer> {
    await this.ready;
    if (this.over) throw this.over;
    const timer = setTimeout(() => this.end(new RestError(503, 'request_timeout')), limitMs);
    try {
      const answer = await new Promise<DocumentAnswer>((resolve, reject) => {
        this.asked = { answer: resolve, fail: reject };
        this.worker.postMessage(request);
      });
      return good(answer) as Answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Stops whatever it does, and fails it. */
  end(error: Error): void {
    if (this.over) return;
    this.over = error;
    void this.worker.terminate();
    this.settle()?.fail(error);
  }

  private settle(): DocumentThread['asked'] {
    const { asked } = this;
    this.asked = undefined;
    return asked;
  }
}

/** @throws the thread's refusal */
function good(answer: DocumentAnswer): DocumentAnswer {
  if ('failed' in answer) throw new Error(answer.failed);
  if (!('refused' in answer)) return answer;
  const { status, message } = answer.refused;
  throw typeof message === 'string' ? new RestError(status, message) : new BadRequestException(message);
}
