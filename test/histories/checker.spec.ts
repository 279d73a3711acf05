import { describe, expect, it } from 'vitest';
import { BREAKINGS } from './breakings.js';
import { check } from './check.js';
import type { Call, CallOf, History, Violation } from './history.js';
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

  const breaks = BREAKINGS.find(({ what }) => what === 'the call of a post is missing on the timeline')?.break;
  const broken = HISTORIES.flatMap((history) => breaks?.(history) ?? []);
  const missing = (history: History): Violation[] =>
    check(history).filter(({ kind }) => kind === 'missing on the timeline');

  it('lets a replica that is killed lose what it could not store while the database was away, and nothing before', () => {
    expect(broken.length).toBeGreaterThan(0);
    for (const history of broken) {
      const { end } = (missing(history)[0] as Violation).calls[0] as Call;
      const kills = [end + 11_000];
      expect(missing({ ...history, kills })).toHaveLength(1);
      expect(missing({ ...history, kills, outages: [{ from: end + 4_000, to: end + 10_000 }] })).toHaveLength(1);
      expect(missing({ ...history, kills, outages: [{ from: end + 1_000, to: end + 10_000 }] })).toEqual([]);
    }
  });

  it('lets a read do without what could not be stored, or asked for, as the database was away for long', () => {
    for (const history of broken) {
      const [post, read] = (missing(history)[0] as Violation).calls as [Call, Call];
      const during = (from: number, to: number): Violation[] => missing({ ...history, outages: [{ from, to }] });
      const [from, to] = [Math.min(post.end, read.start) - 6_000, read.start - 1_000];
      expect(during(from, to)).toEqual([]);
      expect(during(from, to - 2_000)).toHaveLength(1);
      expect(during(to - 3_000, to)).toHaveLength(1);
      expect(during(post.end + 4_000, post.end + 9_000)).toHaveLength(1);
    }
  });

  it('knows that a reset to a snapshot at the same time may have put some of the messages back', () => {
    const halves = BREAKINGS.filter(({ kind }) => kind === 'half a reset').flatMap(({ break: breaks }) =>
      HISTORIES.flatMap((history) => breaks(history) ?? []),
    );
    expect(halves.length).toBeGreaterThan(0);
    const seen = (history: History): Violation[] => check(history).filter(({ kind }) => kind === 'half a reset');
    for (const history of halves) {
      const { calls } = seen(history)[0] as Violation;
      const [reset, read] = calls.slice(-2) as [CallOf<'reset'>, Call];
      const other = { ...reset, id: -1, client: 'another', start: reset.start + 1, end: read.end, to: 'a snapshot' };
      const both = [...history.calls, other].toSorted((a, b) => a.start - b.start);
      expect(seen({ ...history, calls: both })).toEqual([]);
    }
  });
});
