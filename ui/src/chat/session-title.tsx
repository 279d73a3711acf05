import { useState, type ReactNode } from 'react';
import { Pencil } from 'lucide-react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Button, IconButton } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Link } from '../kit/link.js';
import { refreshScreen } from './screen.js';
import styles from './pages.module.css';

const MAX_TITLE = 200;

interface SessionTitleProps {
  readonly channel: string;
  readonly thread: string;
  readonly title: string | null;
  /** Where the title leads. */
  readonly href?: string;
}

/** The title of a session with agents, which a person may change. */
export function SessionTitle({ channel, thread, title, href }: SessionTitleProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const name = title ?? 'Untitled session';
  const close = (): void => {
    setTyped(null);
    setError(null);
  };
  const save = async (): Promise<void> => {
    const next = typed?.trim() ?? '';
    if (next === '' || next === title) return close();
    try {
      const body = { channel, thread_ts: thread, title: next, until: 'none' };
      await rest('POST /act/rename_session', { as: 'persona', body });
      await refreshScreen();
      close();
    } catch (failure) {
      setError(wordsFor(failure));
    }
  };
  if (typed === null) {
    return (
      <div className={styles.sessionTitle}>
        <bdi className={styles.sessionName}>{href === undefined ? name : <Link href={href}>{name}</Link>}</bdi>
        <IconButton label="Rename the session" size="small" onPress={() => setTyped(title ?? '')}>
          <Pencil size={13} />
        </IconButton>
      </div>
    );
  }
  return (
    <form
      className={styles.sessionTitle}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <Field
        label="Title of the session"
        hideLabel
        autoFocus
        value={typed}
        onChange={setTyped}
        maxLength={MAX_TITLE}
        error={error}
      />
      <Button kind="primary" size="small" type="submit">
        Save
      </Button>
    </form>
  );
}
