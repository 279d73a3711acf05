import { useEffect, useState, type ReactNode } from 'react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Pane } from '../kit/pane.js';
import { useStore } from '../kit/store.js';
import { SafeLink } from '../text/mrkdwn-view.js';
import type { OpenedEntity } from './chat-context.js';
import { refreshScreen, screen, type DetailsShown } from './screen.js';
import { Facts, kindOf, titleOf } from './work-objects.js';
import styles from './work-objects.module.css';

/** How long an app may take to present something. */
const PATIENCE_MS = 30_000;

/** What an app knows of a work object: asked for when it is opened, and shown when it comes. */
export function EntityPane({ opened, onClose }: { opened: OpenedEntity; onClose: () => void }): ReactNode {
  const { channel, ts, entity } = opened;
  const [trigger, setTrigger] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const body = {
      channel,
      message_ts: ts,
      url: entity.url,
      external_id: entity.external_ref.id,
      until: 'none',
    };
    rest<{ result: { trigger_id: string } }>('POST /act/open_entity', { as: 'persona', body }).then(
      ({ result }) => {
        setTrigger(result.trigger_id);
        void refreshScreen();
      },
      (error: unknown) => setFailure(error),
    );
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- asked once: another object is another pane
  }, []);
  const shown = useStore(screen).details.find((one) => one.trigger_id === trigger);
  const object = shown?.metadata ?? entity;
  return (
    <Pane name="Work object" title={titleOf(object)} note={kindOf(object)} onClose={onClose}>
      <div className={styles.pane}>
        <div role="status">
          {failure !== null ? wordsFor(failure) : shown ? <Presented shown={shown} /> : <Waiting isLate={isLate} />}
        </div>
        <Facts entity={object} />
        <p>
          <SafeLink url={object.url}>{object.url}</SafeLink>
        </p>
      </div>
    </Pane>
  );
}

const Waiting = ({ isLate }: { isLate: boolean }): ReactNode => (
  <p className={styles.waiting}>{isLate ? 'The app has presented no details.' : 'Waiting for details…'}</p>
);

/** Instead of details: that something failed, or where to sign in. */
function Presented({ shown }: { shown: DetailsShown }): ReactNode {
  if (shown.error) {
    const { status, custom_title: title, custom_message: message } = shown.error;
    return (
      <p className={styles.failed}>
        {title !== undefined && <strong>{title}</strong>}
        {message ?? `The app says: ${status.replaceAll('_', ' ')}.`}
      </p>
    );
  }
  if (shown.user_auth_url === undefined) return null;
  return (
    <p>
      <SafeLink url={shown.user_auth_url}>Sign in to see the details</SafeLink>
    </p>
  );
}
