import type { ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

export const HeaderBlock = ({ block }: { block: Json }): ReactNode => (
  <p className={styles.header}>
    <TextObject text={block['text']} />
  </p>
);
