import type { ReactNode } from 'react';
import { waitingSince } from '../api/patience.js';
import { offlineSince } from '../api/realtime.js';
import { useStore } from '../kit/store.js';
import { useLasts } from './use-lasts.js';
import styles from './shell.module.css';

/** This long a gap, or a server that is busy, says nothing. */
const GAP_PATIENCE_MS = 5_000;
const WAIT_PATIENCE_MS = 3_000;

/** Says that nothing comes in any more, once that has lasted. */
export function ConnectionBanner(): ReactNode {
  const isCut = useLasts(useStore(offlineSince), GAP_PATIENCE_MS);
  const isWaiting = useLasts(useStore(waitingSince), WAIT_PATIENCE_MS);
  if (!isCut && !isWaiting) return null;
  return (
    <div className={styles.offline} role="status">
      {isCut
        ? 'No connection to the server. What happens meanwhile shows up when it is back.'
        : 'The server is busy or away. What was asked for is tried again.'}
    </div>
  );
}
