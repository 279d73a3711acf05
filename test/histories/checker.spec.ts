import { describe, expect, it } from 'vitest';
import { BREAKINGS } from './breakings.js';
import { check } from './check.js';
import { goodHistory } from './model.js';

const SEEDS = Array.from({ length: 12 }, (_, n) => n + 1);

describe('the checker of histories', () => {
  it.each(SEEDS)('finds nothing in a good history, seed %i', (seed) => {
    expect(check(goodHistory(seed)).slice(0, 3)).toEqual([]);
  });

  it.each(BREAKINGS)('sees that $what', ({ kind, break: breaks }) => {
    const broken = SEEDS.flatMap((seed) => breaks(goodHistory(seed)) ?? []);
    expect(broken.length).toBeGreaterThan(0);
    for (const history of broken) expect(check(history).map((violation) => violation.kind)).toContain(kind);
  });
});
