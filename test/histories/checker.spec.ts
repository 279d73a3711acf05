import { describe, expect, it } from 'vitest';
import { BREAKINGS } from './breakings.js';
import { check } from './check.js';
import { goodHistory } from './model.js';

const HISTORIES = Array.from({ length: 16 }, (_, n) => goodHistory(n + 1));

describe('the checker of histories', () => {
  it.each([...HISTORIES.entries()])('finds nothing in good history %i', (_, history) => {
    expect(check(history).slice(0, 3)).toEqual([]);
  });

  it.each(BREAKINGS)('sees that $what', ({ kind, break: breaks }) => {
    const broken = HISTORIES.flatMap((history) => breaks(history) ?? []);
    expect(broken.length).toBeGreaterThan(0);
    for (const history of broken) expect(check(history).map((violation) => violation.kind)).toContain(kind);
  });
});
