import type { ReactNode } from 'react';
import styles from './avatar.module.css';

const HUES = [8, 28, 46, 96, 152, 176, 202, 226, 262, 288, 318, 342];

function hueOf(seed: string): number {
  let sum = 0;
  for (const character of seed) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return HUES[sum % HUES.length] as number;
}

export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/u)
    .filter((word) => word !== '');
  const letters = words.length > 1 ? [words[0], words[words.length - 1]] : [words[0]];
  const text = letters.map((word) => [...(word ?? '?')][0] ?? '').join('');
  return text === '' ? '?' : text.toLocaleUpperCase();
}

interface AvatarProps {
  readonly name: string;
  readonly seed?: string | undefined;
  readonly size?: number;
  readonly isBot?: boolean | undefined;
  readonly content?: ReactNode;
}

/** Initials on a colour that is always the same for a person: no picture is loaded. */
export function Avatar({ name, seed, size = 36, isBot, content }: AvatarProps): ReactNode {
  const bucket = HUES.indexOf(hueOf(seed ?? name));
  return (
    <span
      aria-hidden
      className={`${styles.avatar} ${isBot ? styles.bot : ''} ${styles[`hue${bucket}`]} ${styles[`size${size}`] ?? ''}`}
      // drawn rather than text: the name is already next to it
      data-initials={content === undefined ? initialsOf(name) : undefined}
    >
      {content}
    </span>
  );
}
