import type { ReactNode } from 'react';
import type { Entry } from './entries.js';
import { figuresByMethod } from './groups.js';
import styles from './traffic.module.css';

/** The most methods that are shown. */
const MOST = 12;

/** Latency and errors of what is loaded, by method; a method filters the list. */
export function MethodFigures({
  entries,
  onMethod,
}: {
  entries: readonly Entry[];
  onMethod: (method: string) => void;
}): ReactNode {
  const figures = figuresByMethod(entries).slice(0, MOST);
  if (figures.length === 0) return <p className={styles.noFigures}>No calls among what is loaded.</p>;
  return (
    <ul className={styles.figures} aria-label="Calls by method">
      {figures.map(({ method, calls, errors, median, p95 }) => (
        <li key={method}>
          <button
            type="button"
            className={styles.figure}
            onClick={() => onMethod(method)}
            title={`Show only ${method}`}
          >
            <strong>{method}</strong>
            <span>
              {calls}
              {errors > 0 && <span className={styles.bad}> · {errors} failed</span>}
            </span>
            <span>
              {Math.round(median)} ms, p95 {Math.round(p95)} ms
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
