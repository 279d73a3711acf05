import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';
import { onOwnCluster } from '../support/postgres-cluster.js';
import { check } from './check.js';
import { record } from './run.js';
import { describeViolation } from './shrink.js';
import { World } from './world.js';

/** `npm run histories` sets them; otherwise it is a minute with seeds that stay the same. */
const MINUTES = Number(process.env['HISTORIES_MINUTES'] ?? 1);
const FIRST_SEED = Number(process.env['HISTORIES_SEED'] ?? 1);
/** Short runs make small histories, in which a violation is easily read. */
const RUN_MS = 20_000;
const RUNS = Math.max(1, Math.round((MINUTES * 60_000) / RUN_MS));

/** docs/reliability.md */
describe.skipIf(!World.isPossible)(`histories under faults${onOwnCluster}`, { timeout: 300_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.each(Array.from({ length: RUNS }, (_, n) => FIRST_SEED + n))('keep every promise, seed %i', async (seed) => {
    const { history, faults } = await record({ seed, ms: RUN_MS });
    const violations = check(history);
    const outcomes = ['ok', 'refused', 'unknown'].map(
      (outcome) => `${history.calls.filter((call) => call.outcome === outcome).length} ${outcome}`,
    );
    const said = faults.map(({ kind, from, to }) => `${kind} (${Math.round(from)}–${Math.round(to)})`).join(', ');
    console.log(
      `seed ${seed}: ${history.calls.length} calls (${outcomes.join(', ')}), ${history.deliveries.length} deliveries, ${history.sockets.length} sockets; ${said}; settled: ${history.quietAt !== undefined}`,
    );
    const command = `npm run histories -- --minutes ${RUN_MS / 60_000} --seed ${seed}`;
    expect(
      violations
        .slice(0, 3)
        .map((violation) => describeViolation(history, violation, command))
        .join('\n\n'),
    ).toBe('');
    // a run in which hardly anything succeeded would prove nothing
    expect(history.calls.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(50);
    expect(history.quietAt).toBeDefined();
  });
});
