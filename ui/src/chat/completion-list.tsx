import type { ReactNode } from 'react';
import { Avatar } from '../kit/avatar.js';
import type { Choice } from './completion.js';
import styles from './composer.module.css';

/** Suggestions; the text field keeps the focus. */
export function CompletionList({
  id,
  choices,
  picked,
  onPick,
}: {
  id: string;
  choices: readonly Choice[];
  picked: number;
  onPick: (choice: Choice) => void;
}): ReactNode {
  return (
    <ul id={id} role="listbox" aria-label="Suggestions" className={styles.choices}>
      {choices.map((choice, index) => (
        <li
          key={choice.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === picked}
          className={styles.choice}
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(choice);
          }}
        >
          {choice.kind === 'user' && <Avatar name={choice.words.replace('@', '')} seed={choice.key} size={24} />}
          {choice.character !== undefined && <span className={styles.choiceEmoji}>{choice.character}</span>}
          <span className={styles.choiceWords}>{choice.words}</span>
          <span className={styles.choiceNote}>{choice.note}</span>
        </li>
      ))}
    </ul>
  );
}
