import { useCallback, useState } from 'react';

type Setter<T> = (next: T | ((before: T) => T)) => void;

/**
 * State of a component that shows one place after another: each starts fresh, and late results for the previous place
 * are dropped.
 */
export function useKeyedState<T>(place: string, initial: () => T): [T, Setter<T>] {
  const [state, setState] = useState(() => ({ place, value: initial() }));
  let current = state;
  if (state.place !== place) {
    current = { place, value: initial() };
    setState(current);
  }
  const set = useCallback<Setter<T>>(
    (next) =>
      setState((before) => {
        if (before.place !== place) return before;
        const value = typeof next === 'function' ? (next as (value: T) => T)(before.value) : next;
        return Object.is(value, before.value) ? before : { place, value };
      }),
    [place],
  );
  return [current.value, set];
}
