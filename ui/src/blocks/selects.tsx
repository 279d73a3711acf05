import { useEffect, useId, useMemo, useState, type ComponentProps, type ReactElement, type ReactNode } from 'react';
import {
  Button as AriaButton,
  Dialog,
  DialogTrigger,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  type Selection,
} from 'react-aria-components';
import { Check, ChevronDown, LoaderCircle } from 'lucide-react';
import { conversations } from '../api/conversations.js';
import { directory, displayName } from '../api/directory.js';
import { useStore } from '../kit/store.js';
import type { Json } from '../api/wire.js';
import { useAct, type ElementProps } from './use-act.js';
import { list, obj, str, useSurface } from './surface.js';
import { wordsOf } from './text-object.js';
import styles from './blocks.module.css';

interface Option {
  readonly id: string;
  readonly words: string;
  readonly note?: string;
  readonly json?: Json;
}

const MAX_SHOWN = 100;

/** The payload of a choice, by the type of the element. */
function answerOf(type: string, chosen: readonly Option[]): Json {
  const isMany = type.startsWith('multi_');
  const kind = type.replace('multi_', '');
  const key = { users_select: 'user', channels_select: 'channel', conversations_select: 'conversation' }[kind];
  if (key === undefined) {
    return isMany ? { selected_options: chosen.map(({ json }) => json) } : { selected_option: chosen[0]?.json ?? null };
  }
  return isMany ? { [`selected_${key}s`]: chosen.map(({ id }) => id) } : { [`selected_${key}`]: chosen[0]?.id ?? null };
}

const optionOf = (json: Json): Option => {
  const note = wordsOf(json['description']);
  return { id: str(json['value']), words: wordsOf(json['text']), json, ...(note === '' ? {} : { note }) };
};

function initialOf(element: Json, all: readonly Option[]): Option[] {
  const one = obj(element['initial_option']);
  if (one) return [optionOf(one)];
  if (Array.isArray(element['initial_options'])) return list(element['initial_options']).map(optionOf);
  const ids = ['initial_user', 'initial_channel', 'initial_conversation'].flatMap((key) =>
    str(element[key]) === '' ? [] : [str(element[key])],
  );
  for (const key of ['initial_users', 'initial_channels', 'initial_conversations']) {
    if (Array.isArray(element[key])) ids.push(...(element[key] as string[]));
  }
  return ids.map((id) => all.find((option) => option.id === id) ?? { id, words: id });
}

/** The options of an element. */
function useOptions(element: Json): Option[] {
  const users = useStore(directory);
  const rooms = useStore(conversations);
  const type = str(element['type']).replace('multi_', '');
  return useMemo(() => {
    if (type === 'users_select') {
      return [...users.values()]
        .filter((user) => !user.deleted)
        .map((user) => ({ id: user.id, words: displayName(user) ?? user.name, note: `@${user.name}` }));
    }
    if (type === 'channels_select' || type === 'conversations_select') {
      return (rooms ?? [])
        .filter((room) => type === 'conversations_select' || (room.is_channel && !room.is_private))
        .map((room) => ({
          id: room.id,
          words: room.is_im ? (displayName(users.get(room.user ?? '')) ?? room.id) : `#${room.name ?? room.id}`,
        }));
    }
    const groups = list(element['option_groups']).flatMap((group) => list(group['options']));
    return [...list(element['options']), ...groups].map(optionOf);
  }, [element, type, users, rooms]);
}

/** A popover without the name of its button: the dialog inside has one, and a name without a role helps nobody. */
const unnamed = ({ 'aria-labelledby': _name, ...props }: ComponentProps<'div'>): ReactElement => <div {...props} />;

/** A searchable select for one or several options; `external_select` asks the app for them. */
export function SelectElement(props: ElementProps): ReactNode {
  const { block, element, labelId } = props;
  const valueId = useId();
  const surface = useSurface();
  const { act, confirm, isBusy, isDisabled } = useAct(props);
  const type = str(element['type']);
  const isMany = type.startsWith('multi_');
  const isExternal = type.endsWith('external_select');
  const known = useOptions(element);
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Option[] | null>(null);
  const [chosen, setChosen] = useState<Option[]>(() => initialOf(element, known));
  useEffect(() => {
    if (!isExternal) return;
    let isOver = false;
    const timer = setTimeout(() => {
      surface.suggest(block, element, typed).then(
        (options) => !isOver && setFound(options.map(optionOf)),
        () => !isOver && setFound([]),
      );
    }, 300);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- asked again when something else is typed
  }, [typed, isExternal]);
  const wanted = typed.toLowerCase();
  const shown = (
    isExternal
      ? (found ?? [])
      : known.filter(({ words, note }) => `${words} ${note ?? ''}`.toLowerCase().includes(wanted))
  ).slice(0, MAX_SHOWN);
  const choose = (keys: Selection, close: () => void): void => {
    if (keys === 'all') return;
    const next = [...keys].flatMap((key) => [...shown, ...chosen].find(({ id }) => id === key) ?? []);
    const unique = [...new Map(next.map((option) => [option.id, option])).values()];
    setChosen(unique);
    if (!isMany) close();
    if (unique.length > 0 || isMany) act(answerOf(type, unique));
  };
  const label = chosen.map(({ words }) => words).join(', ');
  const placeholder = wordsOf(element['placeholder']) || 'Choose…';
  // in a modal the label of the field names it, and what is chosen follows
  const name = labelId
    ? { 'aria-labelledby': `${labelId} ${valueId}` }
    : { 'aria-label': `${placeholder}${label === '' ? '' : `: ${label}`}` };
  const listName = labelId ? { 'aria-labelledby': labelId } : { 'aria-label': placeholder };
  return (
    <>
      <DialogTrigger>
        <AriaButton className={styles.select ?? ''} isDisabled={isDisabled} {...name}>
          <span id={valueId} className={label === '' ? styles.placeholder : styles.chosen}>
            {label === '' ? placeholder : label}
          </span>
          {isBusy ? (
            <LoaderCircle size={13} className={styles.spin} aria-hidden />
          ) : (
            <ChevronDown size={14} aria-hidden />
          )}
        </AriaButton>
        <Popover className={styles.popover ?? ''} placement="bottom start" render={unnamed}>
          <Dialog {...listName} className={styles.choices ?? ''}>
            {({ close }) => (
              <>
                {(isExternal || known.length > 7) && (
                  <SearchField aria-label="Search" autoFocus value={typed} onChange={setTyped}>
                    <Input className={styles.search ?? ''} placeholder="Search" />
                  </SearchField>
                )}
                <ListBox
                  {...listName}
                  className={styles.options ?? ''}
                  selectionMode={isMany ? 'multiple' : 'single'}
                  escapeKeyBehavior="none"
                  selectedKeys={chosen.map(({ id }) => id)}
                  onSelectionChange={(keys) => choose(keys, close)}
                  renderEmptyState={() => (
                    <span className={styles.none}>
                      {isExternal && found === null ? 'Asking the app…' : 'No matches.'}
                    </span>
                  )}
                >
                  {shown.map((option) => (
                    <ListBoxItem
                      key={option.id}
                      id={option.id}
                      textValue={option.words}
                      className={styles.option ?? ''}
                    >
                      {({ isSelected }) => (
                        <>
                          <span className={styles.optionWords}>
                            {option.words}
                            {option.note !== undefined && <small>{option.note}</small>}
                          </span>
                          {isSelected && <Check size={14} aria-hidden />}
                        </>
                      )}
                    </ListBoxItem>
                  ))}
                </ListBox>
              </>
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
      {confirm}
    </>
  );
}
