import { useRef, useState } from 'react';

type Functions = Record<string, (...args: never[]) => void>;

/** Functions that stay the same while what they do follows the component: who gets them need not be drawn with it. */
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
