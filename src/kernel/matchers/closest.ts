import { LongWork } from '../clock/long-work.js';
import type { Matcher } from './matcher.js';
import { differences, type Aliases, type Difference } from './matches.js';

export interface Close<T> {
  readonly entry: T;
  readonly differs: Difference[];
}

/** The candidates that differ in the fewest places, newest first among equals; `candidates` are oldest first. */
export async function closest<T>(
  matcher: Matcher,
  candidates: readonly T[],
  aliases: Aliases,
  { most = 3, of = (candidate: T): unknown => candidate } = {},
): Promise<Close<T>[]> {
  const work = new LongWork();
  const all: (Close<T> & { readonly i: number })[] = [];
  for (const [i, entry] of candidates.entries()) {
    await work.pause();
    all.push({ entry, i, differs: differences(matcher, of(entry), aliases) });
  }
  return all
    .filter(({ differs }) => differs.length > 0)
    .sort((a, b) => a.differs.length - b.differs.length || b.i - a.i)
    .slice(0, most)
    .map(({ entry, differs }) => ({ entry, differs }));
}
