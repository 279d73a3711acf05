import { useEffect, useState } from 'react';

/** Whether something has already lasted longer than this. */
export function useLasts(since: number | null, patienceMs: number): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (since === null) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, since + patienceMs - Date.now()));
    return () => clearTimeout(timer);
  }, [since, patienceMs]);
  return since !== null && isLong;
}
