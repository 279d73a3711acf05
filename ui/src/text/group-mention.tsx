import type { ReactNode } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useNames } from './names.js';
import styles from './text.module.css';

/** `@handle` of a user group, which shows who is in it. */
export function GroupMention({ id, label }: { id: string; label?: string | null }): ReactNode {
  const names = useNames();
  const group = names.group(id);
  const shown = group ? `@${group.handle}` : (label ?? `@${id}`);
  if (!group) return <span className={styles.mention}>{shown}</span>;
  return (
    <DialogTrigger onOpenChange={(isOpen) => isOpen && names.reloadGroups()}>
      <Button className={(group.users.includes(names.meId) ? styles.mentionMe : styles.mention) ?? ''}>{shown}</Button>
      <Popover className={styles.popover ?? ''}>
        <Dialog className={styles.members ?? ''} aria-label={`Members of ${group.name}`}>
          <h3 className={styles.membersTitle}>{group.name}</h3>
          {group.users.length === 0 && <p>Nobody is in it.</p>}
          <ul>
            {group.users.map((user) => (
              <li key={user}>{names.userName(user) ?? user}</li>
            ))}
          </ul>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
