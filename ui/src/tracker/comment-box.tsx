import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Send } from 'lucide-react';
import { Avatar } from '../kit/avatar.js';
import { Button } from '../kit/button.js';
import { AgentBadge } from './bits.js';
import { mentionables, type Facts } from './facts.js';
import type { Person } from './tracker-api.js';
import { complain } from './words.js';
import styles from './comment-box.module.css';

const MOST_SHOWN = 8;

/** What follows the last `@` before the caret, and where it stands. */
function typedName(text: string, caret: number): { from: number; typed: string } | null {
  const found = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, caret));
  return found ? { from: caret - (found[1] as string).length, typed: found[1] as string } : null;
}

interface BoxProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly facts: Facts;
  readonly first?: string;
  readonly verb?: string;
  readonly isMain?: boolean;
  readonly autoFocus?: boolean;
  readonly onSend: (body: string) => Promise<unknown>;
  readonly onClose?: () => void;
}

/** A text of Markdown to send; `@` completes people and agents. */
export function CommentBox({
  label,
  placeholder,
  facts,
  first = '',
  verb = 'Send',
  isMain,
  autoFocus = false,
  onSend,
  onClose,
}: BoxProps): ReactNode {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(first);
  const [caret, setCaret] = useState(0);
  const [picked, setPicked] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const mention = isClosed ? null : typedName(text, caret);
  const fits = ({ name, displayName }: Person): boolean =>
    `${displayName} ${name}`.toLowerCase().includes((mention?.typed ?? '').toLowerCase());
  const shown = mention ? mentionables(facts).filter(fits).slice(0, MOST_SHOWN) : [];
  const isOpen = shown.length > 0;
  const insert = (person: Person | undefined): void => {
    if (!person || !mention) return;
    const next = `${text.slice(0, mention.from)}${person.displayName} ${text.slice(caret)}`;
    const to = mention.from + person.displayName.length + 1;
    setText(next);
    setCaret(to);
    requestAnimationFrame(() => field.current?.setSelectionRange(to, to));
  };
  const send = (): void => {
    if (text.trim() === '' || isBusy) return;
    setBusy(true);
    onSend(text)
      .then(() => {
        setText('');
        onClose?.();
      }, complain)
      .finally(() => setBusy(false));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isOpen && step !== undefined) setPicked((picked + step + shown.length) % shown.length);
    else if (isOpen && (event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey)
      insert(shown[Math.min(picked, shown.length - 1)]);
    else if (isOpen && event.key === 'Escape') setClosed(true);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
    else if (event.key === 'Escape') {
      if (onClose) onClose();
      else field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={styles.box}>
      <textarea
        ref={field}
        className={styles.text}
        aria-label={label}
        placeholder={placeholder ?? `${label}…`}
        rows={isMain ? 3 : 2}
        value={text}
        data-comment-box={isMain}
        // it was opened to write in it
        autoFocus={autoFocus} // oxlint-disable-line jsx-a11y/no-autofocus
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen ? `${id}-${Math.min(picked, shown.length - 1)}` : undefined}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart);
          setPicked(0);
          setClosed(false);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={() => setClosed(true)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <ul id={id} role="listbox" aria-label="People and agents" className={styles.list}>
          {shown.map((person, index) => (
            <li
              key={person.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === picked}
              className={styles.option}
              onMouseDown={(event) => {
                event.preventDefault();
                insert(person);
              }}
            >
              <Avatar name={person.name} seed={person.id} size={18} isBot={person.app} />
              <span className={styles.name}>{person.name}</span>
              <span className={styles.handle}>@{person.displayName}</span>
              {person.app && <AgentBadge />}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.foot}>
        <span className={styles.note}>{isMain && 'Markdown, @ mentions, Ctrl Enter sends'}</span>
        {onClose && (
          <Button size="small" onPress={onClose}>
            Cancel
          </Button>
        )}
        <Button
          size="small"
          kind="primary"
          icon={<Send size={13} />}
          isDisabled={text.trim() === '' || isBusy}
          onPress={send}
        >
          {verb}
        </Button>
      </div>
    </div>
  );
}
