import { useId, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Element } from './element.js';
import { obj, str, useSurface } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

/** A labelled field; the app's error about its value is shown below. */
export function InputBlock({ block }: { block: Json }): ReactNode {
  const surface = useSurface();
  const id = useId();
  const element = obj(block['element']);
  const error = surface.errors[str(block['block_id'])];
  return (
    <div className={styles.input}>
      <span id={id} className={styles.label}>
        <TextObject text={block['label']} />
        {block['optional'] === true && <span className={styles.optional}> (optional)</span>}
      </span>
      {element && <Element block={block} element={element} isInput labelId={id} />}
      {error !== undefined && (
        <span role="alert" className={styles.error}>
          {error}
        </span>
      )}
      {block['hint'] !== undefined && (
        <span className={styles.hint}>
          <TextObject text={block['hint']} />
        </span>
      )}
    </div>
  );
}
