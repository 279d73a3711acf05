import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';
import { onOwnCluster } from '../support/postgres-cluster.js';
import { check } from './check.js';
import { keep, readKept } from './kept.js';
import { record, type Recorded } from './run.js';
import { describeViolation } from './shrink.js';
import { add, addToFile, describeTotals, noTotals } from './totals.js';
import { World } from './world.js';

/** `npm run histories` sets them; otherwise it is a minute with seeds that stay the same. */
const asked = process.env['HISTORIES_MINUTES'];
const FIRST_SEED = Number(process.env['HISTORIES_SEED'] ?? 1);
/** Where runs add up; undefined: only what this command did is printed. */
const TOTALS = process.env['HISTORIES_TOTALS'];
/** Where the histories of all runs are kept; undefined: only of those that break a promise. */
const KEEP = process.env['HISTORIES_KEEP'];
/** A checkout of an older version that is built, which replicas have for the first third of a run. */
const BEFORE = process.env['HISTORIES_BEFORE'];
/** Kept histories, with commas between, that are judged again instead of a run. */
const JUDGE = process.env['HISTORIES_JUDGE'];

/** Short runs make small histories, in which a violation is easily read; long ones make more calls a second. */
const SHORT_MS = 20_000;
const LONG_MS = 300_000;
const wanted = Number(asked ?? 1) * 60_000;
const RUNS = Math.max(1, Math.round(wanted / (asked === undefined ? SHORT_MS : LONG_MS)));
const RUN_MS = Math.round(wanted / RUNS);
const SEEDS = Array.from({ length: RUNS }, (_, n) => FIRST_SEED + n);

const totals = noTotals();

/** Judges a run: what it came to is printed, and each promise that it broke is an error. */
function judge({ history, faults }: Recorded, seed: number, command: string): void {
  const began = performance.now();
  const violations = check(history);
  const run = { seed, history, faults, violations };
  add(totals, run);
  if (TOTALS !== undefined) addToFile(TOTALS, run);
  const own = noTotals();
  add(own, run);
  const said = faults.map(({ kind, from, to }) => `${kind} (${Math.round(from)}–${Math.round(to)})`).join(', ');
  const took = `judged in ${Math.round(performance.now() - began)} ms`;
  console.log(`seed ${seed}, ${took}: ${describeTotals(own)}\n  in order: ${said}`);
  expect(
    violations
      .slice(0, 3)
      .map((violation) => describeViolation(history, violation, command))
      .join('\n\n'),
  ).toBe('');
  // a run in which hardly anything succeeded would prove nothing
  expect(history.calls.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(50);
  expect(history.quietAt).toBeDefined();
}

afterAll(() => console.log(`Together: ${describeTotals(totals)}`));

if (JUDGE === undefined) {
  /** docs/reliability.md */
  describe.skipIf(!World.isPossible)(`histories under faults${onOwnCluster}`, { timeout: RUN_MS + 600_000 }, () => {
    beforeAll(ensureBuilt, 300_000);

    it.each(SEEDS)('keep every promise, seed %i', async (seed) => {
      const recorded = await record({ seed, ms: RUN_MS, before: BEFORE });
      const path = join(KEEP ?? mkdtempSync(join(tmpdir(), 'understudy-histories-')), `seed-${seed}.json.gz`);
      if (KEEP !== undefined) keep(path, recorded);
      try {
        judge(recorded, seed, `npm run histories -- --minutes ${RUN_MS / 60_000} --seed ${seed}`);
      } catch (error) {
        if (KEEP === undefined) keep(path, recorded);
        console.log(`To judge it again: npm run histories -- --judge ${path}`);
        throw error;
      }
    });
  });
} else {
  describe('histories that were kept', { timeout: 600_000 }, () => {
    it.each(JUDGE.split(','))('keep every promise: %s', (path) => {
      const seed = Number(/seed-(\d+)/.exec(path)?.[1] ?? 0);
      judge(readKept(path), seed, `npm run histories -- --judge ${path}`);
    });
  });
}
