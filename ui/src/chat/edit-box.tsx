import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { call } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import type { Message } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { ErrorLine } from '../kit/field.js';
import { decodeMentions, encodeMentions } from '../text/mentions.js';
import { useChat } from './chat-context.js';
import { useTypedNames } from './typed-names.js';
import styles from './composer.module.css';

/** Edits a message in place; Escape cancels, Enter saves. */
export function EditBox({ message, channel }: { message: Message; channel: string }): ReactNode {
  const chat = useChat();
  const names = useTypedNames();
  const [text, setText] = useState(() => decodeMentions(message.text, (id) => chat.users.get(id)?.name));
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = box;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  const save = async (): Promise<void> => {
    setSaving(true);
    try {
      await call('chat.update', { channel, ts: message.ts, text: encodeMentions(text, names).text });
      chat.edit(null);
    } catch (failure) {
      setError(wordsFor(failure));
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      chat.edit(null);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void save();
    }
  };
  return (
    <div className={styles.edit}>
      <textarea
        ref={box}
        aria-label="Edit message"
        className={styles.editText}
        dir="auto"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <ErrorLine>{error}</ErrorLine>
      <div className={styles.editActions}>
        <Button size="small" onPress={() => chat.edit(null)}>
          Cancel
        </Button>
        <Button size="small" kind="primary" isDisabled={isSaving || text.trim() === ''} onPress={() => void save()}>
          Save
        </Button>
      </div>
    </div>
  );
}
