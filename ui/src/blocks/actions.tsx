import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Element } from './element.js';
import { list, str } from './surface.js';
import styles from './blocks.module.css';

export const ActionsBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.actions}>
    {list(block['elements']).map((element, index) => (
      <Element key={str(element['action_id']) || index} block={block} element={element} />
    ))}
  </div>
);
