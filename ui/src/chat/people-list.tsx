import { useMemo, useState, type ReactNode } from 'react';
import { ListBox, ListBoxItem, type Selection } from 'react-aria-components';
import { Check } from 'lucide-react';
import { directory, displayName, fullName } from '../api/directory.js';
import { useStore } from '../kit/store.js';
import type { User } from '../api/wire.js';
import { Avatar } from '../kit/avatar.js';
import { Field } from '../kit/field.js';
import { Badge } from '../kit/misc.js';
import styles from './people.module.css';

interface PeopleListProps {
  readonly label: string;
  readonly filter?: (user: User) => boolean;
  readonly isDisabled?: (user: User) => string | null;
  readonly many?: boolean;
  readonly chosen?: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

const MAX_SHOWN = 100;

/** A filterable list of people to choose one or several from. */
export function PeopleList({
  label,
  filter,
  isDisabled,
  many = false,
  chosen = [],
  onChange,
}: PeopleListProps): ReactNode {
  const users = useStore(directory);
  const [typed, setTyped] = useState('');
  const shown = useMemo(() => {
    const wanted = typed.toLowerCase().replace(/^@/, '');
    return [...users.values()]
      .filter((user) => !user.deleted && (filter?.(user) ?? true))
      .filter((user) => `${user.name} ${fullName(user)} ${displayName(user) ?? ''}`.toLowerCase().includes(wanted))
      .sort((a, b) => Number(a.is_bot ?? false) - Number(b.is_bot ?? false) || fullName(a).localeCompare(fullName(b)))
      .slice(0, MAX_SHOWN);
  }, [users, typed, filter]);
  const disabled = shown.flatMap((user) => (isDisabled?.(user) ? [user.id] : []));
  const choose = (keys: Selection): void =>
    onChange(keys === 'all' ? shown.map(({ id }) => id) : [...keys].map(String));
  return (
    <div className={styles.people}>
      <Field label="Find" hideLabel placeholder="Name" autoFocus value={typed} onChange={setTyped} />
      <ListBox
        aria-label={label}
        className={styles.list ?? ''}
        selectionMode={many ? 'multiple' : 'single'}
        escapeKeyBehavior="none"
        selectedKeys={chosen}
        disabledKeys={disabled}
        onSelectionChange={choose}
        renderEmptyState={() => <p className={styles.none}>Nobody is called “{typed}”.</p>}
      >
        {shown.map((user) => (
          <ListBoxItem key={user.id} id={user.id} textValue={fullName(user)} className={styles.person ?? ''}>
            {({ isSelected }) => (
              <>
                <Avatar name={displayName(user) ?? user.name} seed={user.id} size={28} isBot={user.is_bot} />
                <span className={styles.words}>
                  <span className={styles.name}>
                    <bdi>{fullName(user)}</bdi>
                    {user.is_bot && <Badge>APP</Badge>}
                  </span>
                  <span className={styles.note}>{isDisabled?.(user) ?? `@${user.name}`}</span>
                </span>
                {isSelected && <Check size={15} aria-hidden />}
              </>
            )}
          </ListBoxItem>
        ))}
      </ListBox>
    </div>
  );
}
