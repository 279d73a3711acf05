import type { ReactNode } from 'react';
import styles from './apps.module.css';

/** Scopes as a list of their names. */
export function Scopes({ scopes }: { scopes: readonly string[] }): ReactNode {
  if (scopes.length === 0) return 'none';
  return (
    <ul className={styles.chips}>
      {scopes.map((scope) => (
        <li key={scope} className={styles.chip}>
          {scope}
        </li>
      ))}
    </ul>
  );
}
