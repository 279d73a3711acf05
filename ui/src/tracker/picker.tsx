import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Check } from 'lucide-react';
import { Dialog } from '../kit/dialog.js';
import styles from './picker.module.css';

export interface Option {
  /** What is chosen; an empty one takes the value away. */
  readonly id: string;
  readonly words: string;
  readonly icon?: ReactNode;
  readonly note?: string;
}

interface PickerProps {
  readonly title: string;
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
  /** Several: it stays open, and each choice turns one on or off. */
  readonly isMany?: boolean;
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
}

/** A list to choose from, by typing or by the arrow keys. */
export function Picker({ title, options, chosen, isMany = false, onPick, onClose }: PickerProps): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState('');
  const shown = options.filter(({ words, note }) =>
    `${words} ${note ?? ''}`.toLowerCase().includes(typed.toLowerCase()),
  );
  const first = Math.max(
    0,
    shown.findIndex((one) => chosen.includes(one.id)),
  );
  const [picked, setPicked] = useState(first);
  const at = Math.min(picked, shown.length - 1);
  const pick = (option: Option | undefined): void => {
    if (!option) return;
    onPick(option.id);
    if (!isMany) onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPicked((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter') pick(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose} size="small">
      <input
        className={styles.input}
        role="combobox"
        aria-label={title}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        // the dialog was opened to choose, and this is where that is done
        autoFocus // oxlint-disable-line jsx-a11y/no-autofocus
        placeholder="Type to filter"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setPicked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={title} aria-multiselectable={isMany} className={styles.list}>
        {shown.map((option, index) => (
          <li
            key={option.id}
            id={`${id}-${index}`}
            ref={index === at ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            role="option"
            aria-selected={chosen.includes(option.id)}
            className={styles.option}
            data-picked={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setPicked(index)}
            onClick={() => pick(option)}
          >
            <span className={styles.icon}>{option.icon}</span>
            <span className={styles.words}>{option.words}</span>
            {option.note !== undefined && <span className={styles.note}>{option.note}</span>}
            {chosen.includes(option.id) && <Check size={14} />}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={styles.none}>Nothing fits “{typed}”.</p>}
    </Dialog>
  );
}
