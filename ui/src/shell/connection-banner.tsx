import type { ReactNode } from 'react';
import { waitingSince } from '../api/retries.js';
import { offlineSince } from '../api/realtime.js';
import { useStore } from '../kit/store.js';
import { useHasLasted } from './use-has-lasted.js';
import styles from './shell.module.css';

/** A gap or a busy server shorter than this is not reported. */
const OFFLINE_SHOWN_AFTER_MS = 5_000;
const WAITING_SHOWN_AFTER_MS = 3_000;

/** Says that no events arrive, once that has lasted. */
export function ConnectionBanner(): ReactNode {
  const isCut = useHasLasted(useStore(offlineSince), OFFLINE_SHOWN_AFTER_MS);
  const isWaiting = useHasLasted(useStore(waitingSince), WAITING_SHOWN_AFTER_MS);
  if (!isCut && !isWaiting) return null;
  return (
    <div className={styles.offline} role="status">
      {isCut
        ? 'No connection to the server. What happens meanwhile shows up when it is back.'
        : 'The server is busy or away. What was asked for is tried again.'}
    </div>
  );
}
