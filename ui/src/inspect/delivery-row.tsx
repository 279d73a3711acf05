import { useEffect, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { urlOf } from '../api/base.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { useClock } from '../api/sandbox.js';
import { CopyButton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { exactTime } from '../text/time.js';
import { parsedBody } from './bodies.js';
import { curlOf } from './curl.js';
import { reasonWords, signatureWords, type Entry } from './entries.js';
import { JsonBox } from './json-box.js';
import styles from './entry.module.css';

export interface Attempt {
  readonly attempt?: number;
  readonly at?: string;
  readonly wall?: string;
  readonly response?: { status?: number; body?: unknown };
  readonly status?: number;
  readonly error?: string | null;
  readonly ms?: number;
}

export interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly event: string;
  /** Real time of the event, or of the first attempt. */
  readonly wall: string | null;
  readonly channel: string | null;
  readonly user: string | null;
  readonly text: string | null;
  readonly target: { id: string; kind: string; url: string | null; app_id?: string; enabled?: boolean };
  readonly state: string;
  readonly attempts: readonly Attempt[];
  readonly next_retry_at: string | number | null;
}

/** How long a toast waits for the outcome of what was sent again. */
const OUTCOME_MS = 4_000;

/** Redelivers now, one after the other, and says what came of it: "2 sent again: 200, 500". */
export async function redeliver(deliveries: readonly Pick<Delivery, 'id' | 'attempts'>[]): Promise<void> {
  const outcomes: (Attempt | undefined)[] = [];
  try {
    for (const { id, attempts } of deliveries) {
      await rest(`POST /sandboxes/self/deliveries/${id}/redeliver`, { body: {} });
      outcomes.push(await nextAttempt(id, attempts.length));
    }
    const words = [...new Set(outcomes.map((attempt) => (attempt ? outcomeWords(attempt) : 'no answer yet')))];
    const count = outcomes.length === 1 ? 'Sent again' : `${outcomes.length} sent again`;
    say(`${count}: ${words.join(', ')}.`, outcomes.some((attempt) => attempt?.error) ? { tone: 'bad' } : {});
  } catch (error) {
    say(wordsFor(error), { tone: 'bad' });
  }
}

/** The attempt after the first `count`, once it is there; undefined when that takes too long. */
async function nextAttempt(id: string, count: number): Promise<Attempt | undefined> {
  const end = Date.now() + OUTCOME_MS;
  while (Date.now() < end) {
    const { deliveries } = await rest<{ deliveries: Delivery[] }>(
      `GET /sandboxes/self/deliveries?order=desc&limit=200`,
    );
    const found = deliveries.find((one) => one.id === id)?.attempts[count];
    if (found) return found;
    await new Promise((go) => setTimeout(go, 250));
  }
  return undefined;
}

export const outcomeWords = (attempt: Attempt | undefined): string => {
  if (!attempt) return 'not sent yet';
  const status = attempt.response?.status ?? attempt.status;
  if (!attempt.error) return status === undefined ? 'acked' : String(status);
  if (status === undefined) return reasonWords(attempt.error);
  return attempt.error === 'http_error' ? String(status) : `${status}, ${reasonWords(attempt.error)}`;
};

/** The attempts of a delivery; request and response are on the timeline, if it is recorded. */
export function AttemptList({ delivery }: { delivery: Delivery }): ReactNode {
  const { team } = useCurrentUser();
  const [open, setOpen] = useState<number | null>(null);
  const where = JSON.stringify({ delivery_id: delivery.id });
  const recorded = useQuery({
    queryKey: ['recorded', team.id, delivery.id, delivery.attempts.length],
    queryFn: () =>
      rest<{ entries: Entry[] }>(
        `GET /sandboxes/self/timeline?${new URLSearchParams({ kind: 'delivery', where }).toString()}`,
      ),
    retry: false,
  });
  return (
    <ol className={styles.attemptList}>
      {delivery.attempts.map((attempt, index) => {
        const number = attempt.attempt ?? index + 1;
        const entry = recorded.data?.entries.find((one) => one.attempt === number);
        return (
          <li key={index}>
            <button
              type="button"
              className={styles.attempt}
              aria-expanded={open === index}
              disabled={!entry}
              onClick={() => setOpen(open === index ? null : index)}
            >
              <strong>{number}</strong>
              {(attempt.wall ?? attempt.at) !== undefined && (
                <span className={styles.when}>{exactTime(new Date(attempt.wall ?? attempt.at ?? 0))}</span>
              )}
              <span className={attempt.error ? styles.bad : styles.ok}>{outcomeWords(attempt)}</span>
              {attempt.ms !== undefined && <span className={styles.when}>{Math.round(attempt.ms)} ms</span>}
            </button>
            {open === index && entry && <AttemptBodies entry={entry} />}
          </li>
        );
      })}
      {delivery.attempts.length === 0 && <li className={styles.when}>Not sent yet.</li>}
      {delivery.next_retry_at !== null && delivery.state !== 'done' && (
        <li>
          <NextRetry at={delivery.next_retry_at} />
        </li>
      )}
    </ol>
  );
}

function AttemptBodies({ entry }: { entry: Entry }): ReactNode {
  const headers = entry.request?.headers ?? {};
  const shown = Object.entries(headers).filter(([name]) => /^(x-slack-|svc-|linear-)/i.test(name));
  const curl = curlOf(entry, urlOf('').href.replace(/\/$/, ''));
  return (
    <div className={styles.attemptBodies}>
      {entry.signature && (
        <p className={entry.signature === 'accepted' ? styles.ok : styles.bad}>{signatureWords(entry.signature)}</p>
      )}
      {shown.map(([name, value]) => (
        <code key={name} className={styles.headerLine}>
          {name}: {value}
        </code>
      ))}
      {curl !== null && <CopyButton words label="Copy as curl" text={curl} />}
      <h4>Sent</h4>
      <JsonBox value={parsedBody(entry.request?.body)} isCut={entry.truncated} />
      <h4>Answer</h4>
      <JsonBox value={parsedBody(entry.response?.body)} isCut={entry.truncated} />
    </div>
  );
}

/** "next in 0:48", counting down by the sandbox's clock; `brief` where a heading says what it is about. */
export function NextRetry({ at, brief = false }: { at: string | number; brief?: boolean }): ReactNode {
  const due = typeof at === 'number' ? at * 1000 : Date.parse(at);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const clock = useClock().data;
  const sandboxNow = clock?.frozen ? Date.parse(clock.now) : now + (clock?.offset_ms ?? 0);
  const left = Math.max(0, Math.round((due - sandboxNow) / 1000));
  return (
    <span className={styles.when}>
      {brief ? 'in' : 'next in'} {Math.floor(left / 60)}:{String(left % 60).padStart(2, '0')}
    </span>
  );
}
