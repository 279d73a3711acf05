import { useState, type ReactNode } from 'react';
import { call } from '../api/client.js';
import { directory, displayName, fullName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import type { User } from '../api/wire.js';
import { Avatar } from '../kit/avatar.js';
import { Button } from '../kit/button.js';
import { ErrorLine, Field, Switch } from '../kit/field.js';
import { Badge, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import styles from './profile.module.css';

/** Picture, name and presence. */
export function ProfileHead({ user }: { user: User }): ReactNode {
  return (
    <>
      <Avatar name={displayName(user) ?? user.name} seed={user.id} size={64} isBot={user.is_bot} />
      <div>
        <p className={styles.name}>
          <bdi>{fullName(user)}</bdi> {user.is_bot && <Badge>APP</Badge>}
        </p>
        <p className={styles.note}>
          @{user.name} · {user.presence === 'away' ? 'away' : 'active'}
          {user.is_admin && ' · admin'}
        </p>
      </div>
    </>
  );
}

/** Edits the profile of the person this tab acts as. */
export function OwnProfile(): ReactNode {
  const { id } = useCurrentUser();
  const user = useStore(directory).get(id);
  return user ? <ProfileForm key={user.id} user={user} /> : <Skeleton />;
}

function ProfileForm({ user }: { user: User }): ReactNode {
  const { profile } = user;
  const [fields, setFields] = useState({
    real_name: fullName(user),
    display_name: profile.display_name ?? '',
    title: profile.title ?? '',
    status_text: profile.status_text ?? '',
    status_emoji: profile.status_emoji ?? '',
  });
  const [hours, setHours] = useState('');
  const [error, setError] = useState<string | null>(null);
  const save = async (): Promise<void> => {
    const expires = Number(hours) > 0 ? Math.floor(Date.now() / 1000 + Number(hours) * 3600) : 0;
    try {
      await call('users.profile.set', { profile: { ...fields, status_expiration: expires } });
      setError(null);
      say('Profile saved.');
    } catch (failure) {
      setError(wordsFor(failure));
    }
  };
  const setPresence = (on: boolean): void =>
    void call('users.setPresence', { presence: on ? 'auto' : 'away' }).catch((failure: unknown) =>
      setError(wordsFor(failure)),
    );
  const field = (key: keyof typeof fields, label: string, placeholder = ''): ReactNode => (
    <Field
      label={label}
      placeholder={placeholder}
      value={fields[key]}
      onChange={(text) => setFields({ ...fields, [key]: text })}
    />
  );
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <ProfileHead user={user} />
      <Switch isSelected={user.presence !== 'away'} onChange={setPresence}>
        Active
      </Switch>
      {field('real_name', 'Full name')}
      {field('display_name', 'Display name')}
      {field('title', 'Title')}
      {field('status_text', 'Status')}
      {field('status_emoji', 'Status emoji', ':palm_tree:')}
      <Field
        label="Status ends after (hours)"
        placeholder="never"
        value={hours}
        onChange={setHours}
        inputMode="decimal"
      />
      <ErrorLine>{error}</ErrorLine>
      <Button kind="primary" type="submit">
        Save
      </Button>
    </form>
  );
}
