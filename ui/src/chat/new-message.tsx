import { useState, type ReactNode } from 'react';
import { call } from '../api/client.js';
import { loadConversations } from '../api/conversations.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { ErrorLine } from '../kit/field.js';
import { PeopleList } from './people-list.js';

/** One person makes a direct message, two to eight a group. */
export function NewMessage({ onClose, onOpened }: { onClose: () => void; onOpened: (id: string) => void }): ReactNode {
  const [chosen, setChosen] = useState<string[]>([]);
  const [error, setError] = useState<string | null>(null);
  const open = async (): Promise<void> => {
    try {
      const { channel } = await call<{ channel: { id: string } }>('conversations.open', { users: chosen.join(',') });
      await loadConversations();
      onOpened(channel.id);
    } catch (failure) {
      setError(wordsFor(failure));
    }
  };
  return (
    <Dialog
      title="New message"
      note={chosen.length > 8 ? 'At most 8 people' : chosen.length > 1 ? `${chosen.length} people` : undefined}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={chosen.length === 0 || chosen.length > 8} onPress={() => void open()}>
            Go
          </Button>
        </>
      }
    >
      <PeopleList label="People" many chosen={chosen} onChange={setChosen} />
      <ErrorLine>{error}</ErrorLine>
    </Dialog>
  );
}
