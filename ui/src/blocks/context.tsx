import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { ImageElement } from './image.js';
import { list } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

export const ContextBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.context}>
    {list(block['elements']).map((element, index) =>
      element['type'] === 'image' ? (
        <ImageElement key={index} element={element} small />
      ) : (
        <TextObject key={index} text={element} inline />
      ),
    )}
  </div>
);
