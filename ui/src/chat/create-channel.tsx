import { useState, type ReactNode } from 'react';
import { call } from '../api/client.js';
import { loadConversations } from '../api/conversations.js';
import { wordsFor } from '../api/errors.js';
import type { Conversation } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { ErrorLine, Field, Switch } from '../kit/field.js';
import styles from './pages.module.css';

/** Validates a channel's name while it is typed. */
export function faultOfName(name: string): string | null {
  if (name === '') return null;
  if (name.length > 80) return 'At most 80 characters.';
  if (name !== name.toLowerCase()) return 'Small letters only.';
  if (/[\s.]/.test(name)) return 'No spaces or periods.';
  if (!/^[\p{L}\p{N}\p{M}_-]+$/u.test(name)) return 'Letters, digits, - and _ only.';
  if (!/[\p{L}\p{N}]/u.test(name)) return 'At least one letter or digit.';
  return null;
}

export function CreateChannel({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }): ReactNode {
  const [name, setName] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const fault = faultOfName(name);
  const create = async (): Promise<void> => {
    try {
      const { channel } = await call<{ channel: Conversation }>('conversations.create', {
        name,
        is_private: isPrivate,
      });
      await loadConversations();
      onMade(channel.id);
    } catch (failure) {
      setError(wordsFor(failure));
    }
  };
  return (
    <Dialog
      title="Create a channel"
      size="small"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={name === '' || fault !== null} onPress={() => void create()}>
            Create
          </Button>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '' && fault === null) void create();
        }}
      >
        <Field
          label="Name"
          placeholder="deploys"
          autoFocus
          value={name}
          onChange={(text) => setName(text.replace(/^#/, ''))}
          error={fault}
        />
        <Switch isSelected={isPrivate} onChange={setPrivate}>
          Private: only people who are invited can see it
        </Switch>
        <ErrorLine>{error}</ErrorLine>
      </form>
    </Dialog>
  );
}
