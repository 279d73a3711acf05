import { Injectable } from '@nestjs/common';
import type { Tx } from '../kernel/database/db.js';

/** What the test itself did: these kinds of entry are marks of the timeline, too. */
export type JournalKind = 'created' | 'seed' | 'snapshot' | 'reset' | 'clock';

/** Where it is written down what is done to a sandbox. The timeline registers itself; without one nothing is kept. */
@Injectable()
export class SandboxJournal {
  private keeper: ((tx: Tx, tenantId: number, kind: JournalKind, data: object) => Promise<void>) | undefined;

  register(keeper: (tx: Tx, tenantId: number, kind: JournalKind, data: object) => Promise<void>): void {
    this.keeper = keeper;
  }

  /** In the transaction that does it. */
  async record(tx: Tx, tenantId: number, kind: JournalKind, data: object): Promise<void> {
    await this.keeper?.(tx, tenantId, kind, data);
  }
}

/** Figures of X that other modules hold. */
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

/** Moves what is due at real moments when the sandbox's clock moves, in that transaction. */
export type ClockStep = (tx: Tx, sandbox: { readonly tenantId: number }, move: ClockMove) => Promise<void>;

/** What else belongs to a sandbox: whoever holds some of it registers here at start-up. */
@Injectable()
export class SandboxParts {
  readonly clockMoves: ClockStep[] = [];
  private counters: ((tenantIds: readonly number[]) => Promise<Map<number, Partial<SandboxCounts>>>)[] = [];

  onClockMoved(move: ClockStep): void {
    this.clockMoves.push(move);
  }

  /** Who keeps faults and who keeps delivery rules says how many there are. */
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
