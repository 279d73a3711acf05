import { useRef, useState } from 'react';

type Functions = Record<string, (...args: never[]) => void>;

/** Stable functions that always call the latest callbacks, so that components receiving them are not rendered again. */
export function useLatest<T extends Functions>(now: T): T {
  const latest = useRef(now);
  latest.current = now;
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(now).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
      ) as T,
  );
  return stable;
}
