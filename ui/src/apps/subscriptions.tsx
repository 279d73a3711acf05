import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { everything, type App } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Badge } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import styles from './apps.module.css';

export interface Subscription {
  id: string;
  app_id: string;
  url?: string;
  request_url?: string;
  events: string[];
  verified?: boolean;
  enabled?: boolean;
  /** A status, or why there was none; null before the first delivery. */
  last_status?: number | string | null;
}

export const useSubscriptions = (): Subscription[] =>
  useQuery({
    queryKey: ['subscriptions'],
    queryFn: () => everything<Subscription>('/events/subscriptions', 'subscriptions'),
    retry: false,
  }).data ?? [];

/** Whether the last delivery failed. */
export const isFailing = ({ enabled, last_status: last }: Subscription): boolean =>
  enabled === false || (typeof last === 'number' ? last >= 300 : typeof last === 'string');

/** The URLs that receive an app's events. */
export function Subscriptions({ app, subscriptions }: { app: App; subscriptions: readonly Subscription[] }): ReactNode {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('message, app_mention, reaction_added');
  const attempt = (work: Promise<unknown>, done: string): void =>
    void work.then(
      async () => {
        say(done);
        await client.invalidateQueries({ queryKey: ['subscriptions'] });
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const subscribe = (target: string, kinds = events.split(/[\s,]+/).filter(Boolean)): Promise<unknown> =>
    rest('POST /events/subscribe', { body: { request_url: target, events: kinds, app_id: app.id } });
  const subscribeInbox = async (): Promise<void> => {
    const inbox = await rest<{ url: string }>('POST /sandboxes/self/inboxes', {
      body: { name: app.name, challenge: true },
    });
    await subscribe(inbox.url);
  };
  return (
    <div className={styles.section}>
      {subscriptions.map((one) => (
        <div key={one.id} className={styles.box}>
          <code className={styles.url}>{one.request_url ?? one.url}</code>
          <div className={styles.facts}>
            <Badge tone={one.verified ? 'ok' : 'warn'}>{one.verified ? 'verified' : 'not verified'}</Badge>
            <Badge tone={one.enabled === false ? 'bad' : 'ok'}>{one.enabled === false ? 'disabled' : 'enabled'}</Badge>
            {one.last_status !== undefined && one.last_status !== null && (
              <Badge tone={isFailing(one) ? 'bad' : 'ok'}>last: {String(one.last_status).replaceAll('_', ' ')}</Badge>
            )}
            <span className={styles.note}>{one.events.join(', ')}</span>
          </div>
          <div className={styles.buttons}>
            <Button
              size="small"
              onPress={() =>
                attempt(rest(`POST /events/subscriptions/${one.id}/verify`, { body: {} }), 'Asked the app again.')
              }
            >
              Verify again
            </Button>
            <Button
              size="small"
              onPress={() => attempt(subscribe(one.request_url ?? one.url ?? '', one.events), 'Subscribed again.')}
            >
              Subscribe again
            </Button>
            <Button
              size="small"
              kind="danger"
              onPress={() => attempt(rest(`DELETE /events/subscriptions/${one.id}`), 'Unsubscribed.')}
            >
              Unsubscribe
            </Button>
          </div>
        </div>
      ))}
      {subscriptions.length === 0 && (
        <p className={styles.note}>No URL yet: events reach this app over Socket Mode only, if at all.</p>
      )}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          attempt(subscribe(url), 'Subscribed.');
        }}
      >
        <Field label="Request URL" placeholder="http://127.0.0.1:9000/slack/events" value={url} onChange={setUrl} />
        <Field label="Events" value={events} onChange={setEvents} />
        <div className={styles.buttons}>
          <Button kind="primary" type="submit" isDisabled={url === ''}>
            Subscribe
          </Button>
          <Button onPress={() => attempt(subscribeInbox(), 'Events go to an inbox of this server: see the Inspector.')}>
            Use an inbox of this server
          </Button>
        </div>
      </form>
    </div>
  );
}
