import { useEffect, useState, type ReactNode } from 'react';
import { offlineSince } from '../api/realtime.js';
import { useStore } from '../kit/store.js';
import styles from './shell.module.css';

/** This long a gap says nothing. */
const PATIENCE_MS = 5_000;

/** Says that nothing comes in any more, once that has lasted. */
export function ConnectionBanner(): ReactNode {
  const since = useStore(offlineSince);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (since === null) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, since + PATIENCE_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  if (since === null || !isLong) return null;
  return (
    <div className={styles.offline} role="status">
      No connection to the server. What happens meanwhile shows up when it is back.
    </div>
  );
}
