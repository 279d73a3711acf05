import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Db } from '../database/db.js';
import { StoreInfo } from '../database/store-info.js';
import { SandboxReader, type SandboxFlags } from './sandbox-flags.js';
import { END_TURN, FLAGS_NOW, LOOK_FOR_TURN, TAKE_TURN } from './turns.queries.js';

/** How long a call waits for the one before it, in milliseconds: what lasts longer, or died, is not waited for. */
const LONGEST_MS = 20_000;
/** How often a call looks whether another replica's turn is over, in milliseconds: at first, and later. */
const [LOOK_SOON_MS, LOOK_LATE_MS] = [2, 20];

/** A call's turn in its sandbox. */
interface Turn {
  /** The sandbox as the call before it left it. */
  readonly sandbox: SandboxFlags;
  end(): Promise<void>;
}

/**
 * Calls of a sandbox one after the other, in all replicas: what they make up, and the times of what they do, then follow
 * the order in which they take effect (docs/decisions/determinism.md). Here they queue in the process; the first of each
 * process takes a number of the sandbox and waits until the one before it is done.
 */
@Injectable()
export class Turns {
  private readonly queues = new Map<number, Promise<void>>();

  constructor(
    private readonly db: Db,
    private readonly store: StoreInfo,
    private readonly sandboxes: SandboxReader,
  ) {}

  async take(sandbox: SandboxFlags): Promise<Turn> {
    const { tenantId } = sandbox;
    const before = this.queues.get(tenantId);
    let release = (): void => undefined;
    const over = new Promise<void>((resolve) => (release = resolve));
    const last = (before ?? Promise.resolve()).then(() => over);
    this.queues.set(tenantId, last);
    const leave = (): void => {
      release();
      if (this.queues.get(tenantId) === last) this.queues.delete(tenantId);
    };
    try {
      if (before) await within(before, LONGEST_MS);
      const found = this.store.embedded
        ? // the one before may have ended since the caller was known
          { turn: null, flags: await this.flagsNow(tenantId) }
        : await this.ofReplicas(tenantId);
      const ended = once(async () => {
        if (found.turn !== null) await this.db.run(END_TURN, [tenantId, found.turn], tenantId).catch(() => undefined);
        leave();
      });
      return { sandbox: found.flags === null ? sandbox : (this.sandboxes.read(found.flags) ?? sandbox), end: ended };
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async flagsNow(tenantId: number): Promise<string | null> {
    const [row] = await this.db.read<{ flags: string }>(FLAGS_NOW, [tenantId]);
    return row?.flags ?? null;
  }

  /** Waits for the replicas that asked earlier. */
  private async ofReplicas(tenantId: number): Promise<{ turn: number | null; flags: string | null }> {
    const [taken] = await this.db.run<{ turn: number; done: number; flags: string }>(TAKE_TURN, [tenantId], tenantId);
    if (!taken) return { turn: null, flags: null };
    const { turn } = taken;
    let now: { done: number; flags: string } = taken;
    const end = performance.now() + LONGEST_MS;
    for (let wait = LOOK_SOON_MS; now.done < turn - 1 && performance.now() < end;) {
      await sleep(wait);
      wait = Math.min(wait * 2, LOOK_LATE_MS);
      const [row] = await this.db.read<{ done: number; flags: string }>(LOOK_FOR_TURN, [tenantId]);
      if (!row) return { turn: null, flags: null };
      now = row;
    }
    return { turn, flags: now.flags };
  }
}

/** Resolves with the promise, or after this many milliseconds. */
async function within(promise: Promise<void>, ms: number): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([promise, sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)]);
  stop.abort();
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
