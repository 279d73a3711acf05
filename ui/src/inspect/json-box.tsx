import { useState, type ReactNode } from 'react';
import { Button } from '../kit/button.js';
import { JsonView } from '../kit/json-view.js';
import { CopyButton } from '../kit/misc.js';
import { bytes } from '../text/time.js';
import styles from './entry.module.css';

interface JsonBoxProps {
  readonly value: unknown;
  /** The size of the whole body when only a part was kept. */
  readonly size?: number | undefined;
  readonly isCut?: boolean | undefined;
}

/** A body that can be folded, shown raw and copied. */
export function JsonBox({ value, size, isCut }: JsonBoxProps): ReactNode {
  const [raw, setRaw] = useState(false);
  if (value === undefined || value === null || value === '') return <p className={styles.none}>Not recorded.</p>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const kept = bytes(new Blob([text]).size);
  return (
    <div className={styles.json}>
      {raw || typeof value === 'string' ? <pre className={styles.raw}>{text}</pre> : <JsonView value={value} />}
      <footer className={styles.jsonFoot}>
        <span>{isCut ? (size === undefined ? `cut at ${kept}` : `cut at ${kept} of ${bytes(size)}`) : kept}</span>
        <Button size="small" kind="quiet" onPress={() => setRaw(!raw)}>
          {raw ? 'Folding' : 'Raw'}
        </Button>
        <CopyButton text={text} />
      </footer>
    </div>
  );
}
