import { useEffect, useState } from 'react';

/** Whether something has already lasted longer than this. */
export function useHasLasted(since: number | null, durationMs: number): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (since === null) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, since + durationMs - Date.now()));
    return () => clearTimeout(timer);
  }, [since, durationMs]);
  return since !== null && isLong;
}
