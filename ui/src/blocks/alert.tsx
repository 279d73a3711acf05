import type { ReactNode } from 'react';
import { Bell, CircleCheck, CircleX, Info, TriangleAlert } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { str } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './panels.module.css';

const LEVELS = {
  default: { Icon: Bell, word: 'Notice' },
  info: { Icon: Info, word: 'Information' },
  warning: { Icon: TriangleAlert, word: 'Warning' },
  error: { Icon: CircleX, word: 'Error' },
  success: { Icon: CircleCheck, word: 'Success' },
} as const;

const isLevel = (value: string): value is keyof typeof LEVELS => Object.hasOwn(LEVELS, value);

/** A notice in a modal; its level is an icon and a word for screen readers, and not a color alone. */
export function AlertBlock({ block }: { block: Json }): ReactNode {
  const sent = str(block['level']);
  const level = isLevel(sent) ? sent : 'default';
  const { Icon, word } = LEVELS[level];
  return (
    <div className={styles.alert} data-level={level}>
      <Icon size={16} aria-hidden className={styles.alertIcon} />
      <div className={styles.words}>
        <span className="visually-hidden">{word}: </span>
        <TextObject text={block['text']} />
      </div>
    </div>
  );
}
