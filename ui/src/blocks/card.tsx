import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Element } from './element.js';
import { ImageElement } from './image.js';
import { list, obj, str } from './surface.js';
import { TextObject, wordsOf } from './text-object.js';
import styles from './panels.module.css';

/** A picture, a heading, a few lines and up to three buttons in a frame. */
export function CardBlock({ block }: { block: Json }): ReactNode {
  const [hero, icon] = [obj(block['hero_image']), obj(block['icon'])];
  const has = (field: string): boolean => block[field] !== undefined && block[field] !== null;
  return (
    <div className={styles.card} role="group" aria-label={wordsOf(block['title']) || 'Card'}>
      {hero && (
        <div className={styles.hero}>
          <ImageElement element={hero} />
        </div>
      )}
      {(icon || has('title') || has('subtitle')) && (
        <div className={styles.cardHead}>
          {icon && <ImageElement element={icon} small />}
          <div className={styles.words}>
            <div className={styles.title}>
              <TextObject text={block['title']} inline />
            </div>
            <div className={styles.subtitle}>
              <TextObject text={block['subtitle']} inline />
            </div>
          </div>
        </div>
      )}
      {has('body') && (
        <div className={styles.words}>
          <TextObject text={block['body']} />
        </div>
      )}
      {has('subtext') && (
        <div className={styles.subtitle}>
          <TextObject text={block['subtext']} />
        </div>
      )}
      {list(block['actions']).length > 0 && (
        <div className={styles.cardActions}>
          {list(block['actions']).map((element, index) => (
            <Element key={str(element['action_id']) || index} block={block} element={element} />
          ))}
        </div>
      )}
    </div>
  );
}
