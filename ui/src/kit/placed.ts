import { useCallback, useState } from 'react';

type Setter<T> = (next: T | ((before: T) => T)) => void;

/**
 * State of a component that serves one place after another: each begins anew, and what comes late for a place that was
 * left changes nothing in the next.
 */
export function usePlaced<T>(place: string, initial: () => T): [T, Setter<T>] {
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
