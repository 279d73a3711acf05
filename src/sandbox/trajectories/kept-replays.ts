import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { newHex } from '../../kernel/ids/ids.js';
import type { SandboxCaller } from '../../tenants/sandbox-callers.js';
import type { Divergence } from './trajectory.js';
import {
  BEGIN_REPLAY,
  END_REPLAY,
  FORGET_OLD_REPLAYS,
  FORGET_REPLAY,
  KEEP_REPLAY,
  LEAVE_REPLAY,
  SENT_REPLAY,
  STEP_REPLAY,
  STEPS_OF_REPLAY,
  TAKE_REPLAY,
} from './kept-replays.queries.js';

/** How long a replay of a replica that is gone waits for another one, in milliseconds. */
const LEASE_MS = 10_000;
/** How long what came of a replay is kept for who asked for it, in milliseconds. */
const TOLD_MS = 5 * 60_000;

export type Reason = 'cut' | 'unknown_actor' | 'redacted';

/** What came of a call. */
export interface Outcome {
  /** Why it was not played. */
  readonly skipped?: Reason;
  /** Where its answer differs first. */
  readonly difference?: Divergence;
  /** Which ids of the recorded answer became which. */
  readonly learned: readonly (readonly [string, string])[];
}

interface Step extends Record<string, unknown> {
  readonly place: number;
  readonly outcome: Outcome | null;
  readonly tookEffect: boolean;
}

interface Taken extends Record<string, unknown> {
  readonly id: string;
  readonly tenantId: number;
  readonly file: string;
  readonly stops: boolean;
  readonly caller: SandboxCaller;
}

/** Replays in the store, with a lease of the replica that plays them (docs/reference/sandboxes.md#trajectories). */
@Injectable()
export class KeptReplays {
  private readonly me = newHex(16);

  constructor(private readonly db: Db) {}

  /** The id of a new one; undefined: the same is being played, or was and nobody has been told. */
  async begin(
    tenantId: number,
    digest: string,
    { file, stops, caller }: Pick<Taken, 'file' | 'stops' | 'caller'>,
  ): Promise<string | undefined> {
    const values = [newHex(32), tenantId, digest, file, stops, JSON.stringify(caller), this.me, LEASE_MS];
    return (await this.db.run<{ id: string }>(BEGIN_REPLAY, values))[0]?.id;
  }

  /** What came of one; null while it is played, undefined where there is none. */
  async sent<T>(
    tenantId: number,
    digest: string,
  ): Promise<{ readonly id: string; readonly result: T | null } | undefined> {
    const [row] = await this.db.read<{ id: string; result: T | null }>(SENT_REPLAY, [tenantId, digest]);
    return row;
  }

  /** One that nobody plays any more, which this replica plays now. */
  async take(): Promise<Taken | undefined> {
    await this.db.run(FORGET_OLD_REPLAYS, [TOLD_MS]);
    return (await this.db.run<Taken>(TAKE_REPLAY, [this.me, LEASE_MS]))[0];
  }

  /** What came of its calls, by their places; one that was under way and that something came of is `cut`. */
  async steps(id: string): Promise<ReadonlyMap<number, Outcome>> {
    const found = await this.db.read<Step>(STEPS_OF_REPLAY, [id]);
    return new Map(
      found.flatMap(({ place, outcome, tookEffect }): [number, Outcome][] =>
        outcome ? [[place, outcome]] : tookEffect ? [[place, { skipped: 'cut', learned: [] }]] : [],
      ),
    );
  }

  /**
   * Notes that a call begins, and what came of the one before it.
   * @returns false where it is not this replica's any more
   */
  async step(
    id: string,
    call: { readonly place: number; readonly requestId: string },
    before: { readonly place: number; readonly outcome: Outcome } | undefined,
  ): Promise<boolean> {
    const ended = [before?.place ?? -1, JSON.stringify(before?.outcome ?? null)];
    return (await this.db.run(STEP_REPLAY, [id, this.me, call.place, call.requestId, ...ended])).length > 0;
  }

  /** Keeps others from playing it. Returns how that ends. */
  hold(id: string): () => void {
    const keep = (): void => void this.db.run(KEEP_REPLAY, [id, this.me, LEASE_MS]).catch(() => undefined);
    const timer = setInterval(keep, LEASE_MS / 3);
    return () => clearInterval(timer);
  }

  /** Keeps what came of it, for whoever sends the same again. */
  async end(id: string, result: object): Promise<void> {
    await this.db.run(END_REPLAY, [id, this.me, JSON.stringify(result)]);
  }

  /** Another replica may go on at once. */
  async leave(id: string): Promise<void> {
    await this.db.run(LEAVE_REPLAY, [id, this.me]);
  }

  async forget(id: string): Promise<void> {
    await this.db.run(FORGET_REPLAY, [id]);
  }
}
