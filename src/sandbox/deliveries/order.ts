/** A random number generator from 0 to 1, deterministic by its seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type ReleaseOrder = 'as_is' | 'reversed' | 'shuffled';

/** The items in another order; the same shuffle for the same seed. */
export function arranged<T>(all: readonly T[], order: ReleaseOrder, seed = 1): T[] {
  if (order === 'as_is') return [...all];
  if (order === 'reversed') return all.toReversed();
  const mixed = [...all];
  const next = numbersOf(seed);
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T];
  }
  return mixed;
}
