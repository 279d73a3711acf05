import { useState, type ReactNode } from 'react';
import { ChevronDown, ChevronRight, Send } from 'lucide-react';
import { useChannelNames } from '../api/channel-names.js';
import { directory, fullName } from '../api/directory.js';
import { IconButton } from '../kit/button.js';
import { RowCheck } from '../kit/field.js';
import { Badge } from '../kit/misc.js';
import { useStore } from '../kit/store.js';
import { exactTime } from '../text/time.js';
import { AttemptList, NextRetry, outcomeWords, type Delivery } from './delivery-row.js';
import styles from './deliveries.module.css';

/** States in words. */
export const STATE_WORDS: Readonly<Record<string, string>> = {
  all: 'All',
  waiting: 'Waiting',
  held: 'Held',
  retrying: 'Retrying',
  failed: 'Failed',
  done: 'Delivered',
  in_flight: 'In flight',
};

const TONES: Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'plain'>> = {
  done: 'ok',
  failed: 'bad',
  retrying: 'warn',
  held: 'warn',
};

const TITLES = ['', 'Time', 'Event', 'About', 'Target', 'State', 'Attempts', 'Answer', 'Next', ''] as const;

interface ListProps {
  readonly deliveries: readonly Delivery[];
  /** Names of apps by id. */
  readonly apps: ReadonlyMap<string, string>;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (id: string) => void;
  readonly onResend: (id: string) => void;
}

/** Deliveries in aligned columns, each of which opens to its attempts. */
export function DeliveryList({ deliveries, apps, chosen, onChoose, onResend }: ListProps): ReactNode {
  if (deliveries.length === 0) return null;
  return (
    <div className={styles.frame}>
      <div className={`${styles.line} ${styles.head}`} aria-hidden>
        {TITLES.map((title, place) => (
          <span key={place}>{title}</span>
        ))}
      </div>
      <ul className={styles.rows} aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <Row
            key={delivery.id}
            delivery={delivery}
            target={targetName(delivery, apps)}
            isChosen={chosen.has(delivery.id)}
            onChoose={() => onChoose(delivery.id)}
            onResend={() => onResend(delivery.id)}
          />
        ))}
      </ul>
    </div>
  );
}

/** The app that hears it, else its host, else its kind. */
export function targetName({ target }: Pick<Delivery, 'target'>, apps: ReadonlyMap<string, string>): string {
  const host = target.url !== null && URL.canParse(target.url) ? new URL(target.url).host : undefined;
  return apps.get(target.app_id ?? '') ?? host ?? target.kind.replaceAll('_', ' ');
}

interface RowProps {
  readonly delivery: Delivery;
  readonly target: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onResend: () => void;
}

function Row({ delivery, target, isChosen, onChoose, onResend }: RowProps): ReactNode {
  const [open, setOpen] = useState(false);
  const { event, state, attempts } = delivery;
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <RowCheck label={`Select ${event} ${delivery.event_id}`} isSelected={isChosen} onChange={onChoose} />
        <button type="button" className={styles.open} aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className={styles.time}>
            <Arrow size={14} aria-hidden />
            {delivery.wall !== null && exactTime(new Date(delivery.wall))}
          </span>
          <strong className={styles.cut}>{event}</strong>
          <About delivery={delivery} />
          <span className={styles.cut} title={delivery.target.url ?? undefined}>
            {target}
          </span>
          <span>
            <Badge tone={TONES[state] ?? 'plain'}>{(STATE_WORDS[state] ?? state).toLowerCase()}</Badge>
          </span>
          <span className={styles.number}>
            {attempts.length}
            <span className="visually-hidden">{attempts.length === 1 ? ' attempt' : ' attempts'}</span>
          </span>
          <span className={`${styles.cut} ${styles.soft}`}>{outcomeWords(attempts.at(-1))}</span>
          <span className={styles.soft}>
            {delivery.next_retry_at !== null && state === 'retrying' && <NextRetry at={delivery.next_retry_at} brief />}
          </span>
        </button>
        <span className={styles.actions}>
          <IconButton label="Resend now" size="small" onPress={onResend}>
            <Send size={14} />
          </IconButton>
        </span>
      </div>
      {open && (
        <div className={styles.inner}>
          <AttemptList delivery={delivery} />
        </div>
      )}
    </li>
  );
}

/** "#war-room · Alice Doe: is it out?" */
function About({ delivery: { channel, user, text } }: { delivery: Delivery }): ReactNode {
  const channels = useChannelNames();
  const people = useStore(directory);
  const person = user === null ? undefined : people.get(user);
  const place = channel === null ? undefined : (channels.get(channel) ?? channel);
  return (
    <span className={styles.cut}>
      {place !== undefined && <span className={styles.soft}>{place} </span>}
      {person && <span className={styles.soft}>{fullName(person)}: </span>}
      {text}
    </span>
  );
}
