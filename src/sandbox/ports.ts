import { Injectable } from '@nestjs/common';
import type { Tx } from '../kernel/database/db.js';

/** Actions of the test itself: entries of these kinds are also marks of the timeline. */
export type JournalKind = 'created' | 'seed' | 'snapshot' | 'reset' | 'clock';

/** Records actions on a sandbox. The timeline registers itself; without one nothing is recorded. */
@Injectable()
export class SandboxJournal {
  private keeper: ((tx: Tx, tenantId: number, kind: JournalKind, data: object) => Promise<void>) | undefined;

  register(keeper: (tx: Tx, tenantId: number, kind: JournalKind, data: object) => Promise<void>): void {
    this.keeper = keeper;
  }

  /** In the transaction of the action. */
  async record(tx: Tx, tenantId: number, kind: JournalKind, data: object): Promise<void> {
    await this.keeper?.(tx, tenantId, kind, data);
  }
}

/** Figures of a sandbox that other modules provide. */
export interface SandboxCounts {
  readonly faults: number;
  readonly deliveryRules: number;
}

/** A sandbox's clock was set from `before` to `after`, and is frozen there or not; in microseconds. */
export interface ClockMove {
  readonly before: number;
  readonly after: number;
  readonly stands: boolean;
}

/** Reschedules what is due at real times when the sandbox's clock moves, in that transaction. */
export type ClockStep = (tx: Tx, sandbox: { readonly tenantId: number }, move: ClockMove) => Promise<void>;

/** Further parts of a sandbox: modules that hold data of sandboxes register here at start-up. */
@Injectable()
export class SandboxParts {
  readonly clockMoves: ClockStep[] = [];
  private counters: ((tenantIds: readonly number[]) => Promise<Map<number, Partial<SandboxCounts>>>)[] = [];

  onClockMoved(move: ClockStep): void {
    this.clockMoves.push(move);
  }

  /** The modules of faults and delivery rules report how many there are. */
  countWith(counter: (tenantIds: readonly number[]) => Promise<Map<number, Partial<SandboxCounts>>>): void {
    this.counters.push(counter);
  }

  async counts(tenantIds: readonly number[]): Promise<Map<number, SandboxCounts>> {
    const all = new Map(tenantIds.map((id) => [id, { faults: 0, deliveryRules: 0 }]));
    const parts = await Promise.all(this.counters.map((counter) => counter(tenantIds)));
    for (const [id, part] of parts.flatMap((found) => [...found])) {
      all.set(id, { ...(all.get(id) ?? { faults: 0, deliveryRules: 0 }), ...part });
    }
    return all;
  }
}
