import type { Tx } from '../kernel/database/db.js';
import { COUNT, FAILING } from './deliveries.queries.js';
import type { Dialect } from './dialect.js';
import { groupBy } from '../kernel/group-by.js';
import type { EngineContext } from './engine-context.js';
import type { TargetState } from './result-buffer.js';

/** Counts failures and disables targets that fail too often, by the policy of their dialect. */
export class FailingTargets {
  private counts = new Map<string, { product: string; attempts: number; failures: number }>();

  constructor(
    private readonly context: EngineContext,
    private readonly setEnabled: (tx: Tx, ids: readonly string[], enabled: boolean) => Promise<string[]>,
    private readonly onDisabled: (id: string) => void,
  ) {}

  tally(dialect: Dialect, targetId: string, failed: boolean): void {
    if (dialect.disable.kind !== 'share') return;
    const entry = this.counts.get(targetId) ?? { product: dialect.product, attempts: 0, failures: 0 };
    entry.attempts++;
    if (failed) entry.failures++;
    this.counts.set(targetId, entry);
  }

  /** Writes the counts and disables targets that fail too often. */
  async count(): Promise<void> {
    if (this.counts.size === 0) return;
    const { db, clock, dialects } = this.context;
    const counts = [...this.counts];
    this.counts = new Map();
    const offset = clock.wallOffsetMicros;
    await db.run(COUNT, [
      counts.map(([id]) => id),
      counts.map(([, { attempts }]) => attempts),
      counts.map(([, { failures }]) => failures),
      offset,
    ]);
    const suspects = groupBy(
      counts.filter(([, { failures }]) => failures > 0),
      ([, { product }]) => product,
    );
    for (const [product, group] of suspects) {
      const policy = dialects.get(product)?.disable;
      if (policy?.kind !== 'share') continue;
      const ids = group.map(([id]) => id);
      const failing = await db.read<{ id: string }>(FAILING, [ids, policy.attempts, policy.failed, offset]);
      if (failing.length > 0) {
        await this.disable(
          product,
          failing.map(({ id }) => id),
        );
      }
    }
  }

  /** Disables those with too many consecutive events that used up all attempts. */
  judge(targets: readonly TargetState[]): void {
    const spent = targets.filter(({ enabled, product, exhausted_in_row: n }) => {
      const policy = this.context.dialects.get(product)?.disable;
      return enabled && policy?.kind === 'exhausted' && n >= policy.inARow;
    });
    for (const [product, group] of groupBy(spent, (target) => target.product)) {
      void this.disable(
        product,
        group.map(({ id }) => id),
      );
    }
  }

  private async disable(product: string, ids: readonly string[]): Promise<void> {
    try {
      const changed = await this.context.db.write(async (tx) => {
        const disabled = await this.setEnabled(tx, ids, false);
        if (disabled.length > 0) await this.context.dialects.get(product)?.onDisabled?.(tx, disabled);
        return disabled;
      });
      for (const id of changed) this.onDisabled(id);
    } catch (error) {
      this.context.reportOutage(error as Error);
    }
  }
}
