import type { ReactNode } from 'react';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { MessageRow } from './message-row.js';
import type { MessageWindow } from './message-window.js';
import type { Pending } from './window.js';
import styles from './message.module.css';

/** A message that is being sent or failed to send. */
export function PendingRow({
  pending,
  window,
  channel,
  isFollowUp,
}: {
  pending: Pending;
  window: MessageWindow;
  channel: string;
  isFollowUp: boolean;
}): ReactNode {
  return (
    <>
      <div className={styles.pending}>
        <MessageRow
          message={pending.message}
          channel={channel}
          isFollowUp={isFollowUp}
          isMarked={false}
          inThread={false}
        />
      </div>
      {pending.state !== 'sending' && (
        <div className={styles.failed} role={pending.state === 'failed' ? 'alert' : undefined}>
          <span>
            {pending.state === 'failed'
              ? `Not sent. ${wordsFor(pending.error)}`
              : 'Too many messages at once: this one is sent in a moment.'}
          </span>
          {pending.state === 'failed' && (
            <>
              <Button size="small" onPress={() => window.retry(pending.localId)}>
                Retry
              </Button>
              <Button size="small" kind="quiet" onPress={() => window.discard(pending.localId)}>
                Discard
              </Button>
            </>
          )}
        </div>
      )}
    </>
  );
}
