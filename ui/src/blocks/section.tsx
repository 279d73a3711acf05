import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Element } from './element.js';
import { list, obj } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

export function SectionBlock({ block }: { block: Json }): ReactNode {
  const accessory = obj(block['accessory']);
  const fields = list(block['fields']);
  return (
    <div className={styles.section}>
      <div className={styles.sectionText}>
        <TextObject text={block['text']} />
        {fields.length > 0 && (
          <div className={styles.fields}>
            {fields.map((field, index) => (
              <div key={index} className={styles.fieldCell}>
                <TextObject text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {accessory && (
        <div className={styles.accessory}>
          <Element block={block} element={accessory} />
        </div>
      )}
    </div>
  );
}
