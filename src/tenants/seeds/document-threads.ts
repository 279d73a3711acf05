import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { currentCall, hasHungUp } from '../../kernel/http/call-context.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { LargeDocument } from '../../kernel/http/large-document.js';
import { FairQueue } from '../../kernel/limits/fair-queue.js';
import type { ManifestSurface } from '../../messaging/provisioning/manifest-warnings.js';
import type { SeedShape } from '../../tracker/entity/seed-shapes.js';
import { restoreSlice } from './document-parts.js';
import { DocumentThread } from './document-thread.js';
import type { DocumentAnswer } from './document-worker.js';
import type { DrawOfDocument } from './seed-document.js';
import type { Seed } from './seed-types.js';

/** How many documents are parsed at once, of which a tenant has one: another's never has all threads. */
const THREADS = 2;
const OF_A_TENANT = 1;
/** The most time to parse a document, in milliseconds, and what each MiB adds to it: a short text can take a parser long. */
const LIMIT_MS = 10_000;
const MORE_MS_OF_JSON = 1_000;
const MORE_MS_OF_YAML = 5_000;
/** Unused threads end after this, in milliseconds. */
const IDLE_MS = 10_000;

/** Whose document it is: a tenant, or an operator. */
export type DocumentOwner = number | string;

/**
 * Parses and validates large documents in threads of their own, so that other calls are answered meanwhile. Waiting
 * ones are served in turn, tenant by tenant; one whose caller has gone is dropped.
 */
@Injectable()
export class DocumentThreads implements OnApplicationShutdown {
  private readonly turns = new FairQueue<DocumentOwner>({ width: THREADS, laneWidth: () => OF_A_TENANT });
  private readonly busy = new Set<DocumentThread>();
  private idle: DocumentThread[] = [];
  private timer: NodeJS.Timeout | undefined;

  onApplicationShutdown(): void {
    for (const thread of this.busy) thread.end(stopped());
    this.endIdle();
  }

  /**
   * The document without its parts.
   * @throws BadRequestException, RestError 400, 413, 503
   */
  fields({ bytes, isYaml }: LargeDocument, owner: DocumentOwner): Promise<Record<string, unknown>> {
    return this.inTurn(owner, async (thread) => {
      const read = await thread.ask<Extract<DocumentAnswer, { fields: object }>>(
        { ask: 'fields', bytes, isYaml },
        limitOf({ bytes, isYaml }),
      );
      return read.fields;
    });
  }

  /**
   * The whole document, validated by itself.
   * @throws BadRequestException, RestError 400, 413, 503
   */
  seed(
    { bytes, isYaml }: LargeDocument,
    owner: DocumentOwner,
    options: {
      nowMicros: number;
      strict: boolean;
      surface: ManifestSurface;
      shapes: readonly SeedShape[];
      draw: DrawOfDocument | null;
    },
  ): Promise<Seed> {
    return this.inTurn(owner, async (thread) => {
      const read = await thread.ask<Extract<DocumentAnswer, { seed: Seed }>>(
        { ask: 'seed', bytes, isYaml, ...options },
        limitOf({ bytes, isYaml }),
      );
      for (let left = read.slices; left > 0; left--) {
        await setImmediate();
        const { slice } = await thread.ask<Extract<DocumentAnswer, { slice: object }>>({ ask: 'slice' }, LIMIT_MS);
        restoreSlice(read.seed, slice);
      }
      return read.seed;
    });
  }

  private async inTurn<T>(owner: DocumentOwner, work: (thread: DocumentThread) => Promise<T>): Promise<T> {
    const call = currentCall();
    let hangUp!: () => void;
    const hungUp = new Promise<never>((_resolve, reject) => (hangUp = () => reject(stopped())));
    hungUp.catch(() => undefined);
    call?.onHangUp.add(hangUp);
    if (call && hasHungUp(call)) hangUp();
    try {
      const granted = this.turns.take(owner);
      try {
        await Promise.race([granted, hungUp]);
      } catch (error) {
        // its turn passes at once
        void Promise.resolve(granted).then(() => this.turns.leave(owner));
        throw error;
      }
      return await this.withThread(owner, work, hungUp);
    } finally {
      call?.onHangUp.delete(hangUp);
    }
  }

  /** Runs work on a thread of the owner's slot; the thread ends with what it does when the caller hangs up. */
  private async withThread<T>(
    owner: DocumentOwner,
    work: (thread: DocumentThread) => Promise<T>,
    hungUp: Promise<never>,
  ): Promise<T> {
    clearTimeout(this.timer);
    const thread = this.idle.pop() ?? new DocumentThread();
    this.busy.add(thread);
    let isDone = false;
    hungUp.catch((error: Error) => {
      if (!isDone) thread.end(error);
    });
    try {
      return await work(thread);
    } finally {
      isDone = true;
      this.busy.delete(thread);
      if (!thread.isOver) this.idle.push(thread);
      this.turns.leave(owner);
      if (this.busy.size === 0) this.timer = setTimeout(() => this.endIdle(), IDLE_MS).unref();
    }
  }

  /** The threads' memory is released when no document arrives for a while. */
  private endIdle(): void {
    clearTimeout(this.timer);
    for (const thread of this.idle.splice(0)) thread.end(stopped());
  }
}

const limitOf = ({ bytes, isYaml }: LargeDocument): number =>
  LIMIT_MS + (bytes.length / 2 ** 20) * (isYaml ? MORE_MS_OF_YAML : MORE_MS_OF_JSON);

const stopped = (): RestError => new RestError(503, 'service_unavailable', 1);
