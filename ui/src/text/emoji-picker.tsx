import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Dialog, Input, Popover, SearchField, type PopoverProps } from 'react-aria-components';
import { useStore } from '../kit/store.js';
import {
  characterOf,
  emojiSet,
  loadEmoji,
  recentEmoji,
  rememberEmoji,
  searchEmoji,
  setSkinTone,
  skinTone,
  type Emoji,
} from './emoji.js';
import styles from './emoji-picker.module.css';

const COLUMNS = 9;

interface PickerProps {
  readonly onPick: (name: string) => void;
  readonly placement?: PopoverProps['placement'];
}

interface Group {
  readonly title: string;
  readonly emoji: readonly Emoji[];
}

/** All emoji by category, with search; the content of a DialogTrigger. */
export function EmojiPicker({ onPick, placement = 'top end' }: PickerProps): ReactNode {
  return (
    <Popover className={styles.popover ?? ''} placement={placement ?? 'top end'}>
      <Dialog aria-label="Emoji" className={styles.dialog ?? ''}>
        {({ close }) => (
          <Picker
            onPick={(name) => {
              rememberEmoji(name.split('::')[0] as string);
              close();
              onPick(name);
            }}
          />
        )}
      </Dialog>
    </Popover>
  );
}

function Picker({ onPick }: { onPick: (name: string) => void }): ReactNode {
  const set = useStore(emojiSet);
  const [query, setQuery] = useState('');
  const [tone, setTone] = useState(skinTone);
  const [hovered, setHovered] = useState<Emoji | null>(null);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => void loadEmoji(), []);
  // when a keyboard shortcut opens it, the dialog may take the focus after its content
  useEffect(() => {
    const frame = requestAnimationFrame(() => box.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const groups = useMemo((): Group[] => {
    if (!set) return [];
    if (query !== '') return [{ title: 'Results', emoji: searchEmoji(set, query, 90) }];
    const recent = recentEmoji().flatMap((name) => set.byName.get(name) ?? []);
    return [{ title: 'Recent', emoji: recent }, ...set.categories.map(({ name, emoji }) => ({ title: name, emoji }))];
  }, [set, query]);
  const nameOf = (emoji: Emoji): string =>
    emoji.hasTones && tone > 1 ? `${emoji.name}::skin-tone-${tone}` : emoji.name;
  const first = groups[0]?.emoji[0];
  return (
    <>
      <SearchField
        aria-label="Search emoji"
        autoFocus
        value={query}
        onChange={setQuery}
        onSubmit={() => first && onPick(nameOf(first))}
      >
        <Input ref={box} className={styles.search ?? ''} placeholder="Search emoji" />
      </SearchField>
      <div className={styles.groups} onKeyDown={moveByArrows} tabIndex={-1}>
        {groups.map((group) => (
          <section key={group.title} className={styles.group} aria-label={group.title}>
            <h3 className={styles.title}>{group.title}</h3>
            <div className={styles.grid}>
              {group.emoji.map((emoji) => (
                <button
                  key={emoji.name}
                  type="button"
                  className={styles.emoji}
                  aria-label={emoji.name}
                  data-emoji
                  onFocus={() => setHovered(emoji)}
                  onMouseEnter={() => setHovered(emoji)}
                  onClick={() => onPick(nameOf(emoji))}
                >
                  {characterOf(set, nameOf(emoji))}
                </button>
              ))}
            </div>
          </section>
        ))}
        {set && query !== '' && first === undefined && <p className={styles.none}>No emoji is called “{query}”.</p>}
      </div>
      <footer className={styles.foot}>
        <span className={styles.name}>{hovered ? `:${hovered.name}:` : 'Pick an emoji'}</span>
        <label className={styles.tone}>
          <span className="visually-hidden">Skin tone</span>
          <select
            value={tone}
            onChange={(event) => {
              setTone(Number(event.target.value));
              setSkinTone(Number(event.target.value));
            }}
          >
            {[1, 2, 3, 4, 5, 6].map((each) => (
              <option key={each} value={each}>
                {characterOf(set, each === 1 ? 'hand' : `hand::skin-tone-${each}`) ?? each}
              </option>
            ))}
          </select>
        </label>
      </footer>
    </>
  );
}

/** Arrow keys move through the grid as through a table. */
function moveByArrows(event: KeyboardEvent<HTMLDivElement>): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };
  const step = steps[event.key];
  if (step === undefined) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-emoji]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  event.preventDefault();
  all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
}
