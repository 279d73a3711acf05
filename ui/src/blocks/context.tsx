import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Picture } from './image.js';
import { list, str } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

export const ContextBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.context}>
    {list(block['elements']).map((element, index) =>
      element['type'] === 'image' ? (
        <Picture key={index} url={str(element['image_url'])} alt={str(element['alt_text'])} small />
      ) : (
        <TextObject key={index} text={element} inline />
      ),
    )}
  </div>
);
