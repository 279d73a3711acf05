import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { call } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import type { Json, Message } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { ErrorLine } from '../kit/field.js';
import { Skeleton } from '../kit/misc.js';
import { Body } from './message-row.js';
import styles from './composer.module.css';

const Editor = lazy(() => import('../kit/code-editor.js').then(({ CodeEditor }) => ({ default: CodeEditor })));

const EXAMPLE = (text: string): string =>
  JSON.stringify(
    {
      text: text || 'Deploy 42 to production?',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: text || '*Deploy 42* to production?' } }],
    },
    null,
    2,
  );

/** Sends a message as API JSON, with a preview. */
export function SendJson({
  channel,
  thread,
  text,
  onClose,
  onSent,
}: {
  channel: string;
  thread: string | undefined;
  text: string;
  onClose: () => void;
  onSent: () => void;
}): ReactNode {
  const [source, setSource] = useState(() => EXAMPLE(text));
  const [error, setError] = useState<string | null>(null);
  const parsed = useMemo((): { value: Json } | { fault: string } => {
    try {
      const value = JSON.parse(source) as unknown;
      if (typeof value !== 'object' || value === null)
        return { fault: 'An object is needed: text, blocks, attachments, metadata.' };
      return { value: (Array.isArray(value) ? { blocks: value } : value) as Json };
    } catch (fault) {
      return { fault: (fault as Error).message };
    }
  }, [source]);
  const send = async (): Promise<void> => {
    if (!('value' in parsed)) return;
    try {
      const { text: sent, blocks, attachments, metadata } = parsed.value;
      await call('chat.postMessage', {
        channel,
        text: sent,
        blocks,
        attachments,
        metadata,
        ...(thread === undefined ? {} : { thread_ts: thread }),
      });
      onSent();
      onClose();
    } catch (failure) {
      setError(wordsFor(failure));
    }
  };
  return (
    <Dialog
      title="Send as JSON"
      size="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={'fault' in parsed} onPress={() => void send()}>
            Send message
          </Button>
        </>
      }
    >
      <div className={styles.json}>
        <Suspense fallback={<Skeleton />}>
          <Editor label="Message as JSON" language="json" value={source} onChange={setSource} />
        </Suspense>
        <div className={styles.jsonPreview} role="region" aria-label="Preview">
          {'fault' in parsed ? (
            <p className={styles.fault}>{parsed.fault}</p>
          ) : (
            <Body message={{ type: 'message', ts: '', text: '', ...parsed.value } as Message} channel={channel} />
          )}
        </div>
      </div>
      <ErrorLine>{error}</ErrorLine>
    </Dialog>
  );
}
