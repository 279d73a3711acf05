import { useState, type FormEvent, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { everything, type App } from '../api/apps.js';
import { ownUrl } from '../api/base.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Badge, CopyButton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import styles from './apps.module.css';

interface Webhook {
  id: string;
  /** Only for people who may post. */
  url?: string;
  app_id?: string;
  channel?: string;
  name?: string;
  events?: string[];
}

const useWebhooks = (kind: 'incoming' | 'outgoing'): Webhook[] =>
  useQuery({
    queryKey: [kind],
    queryFn: () => everything<Webhook>(`/webhooks/${kind}`, 'webhooks'),
    retry: false,
  }).data ?? [];

/** Incoming webhooks that post as the app, and outgoing webhooks that receive what it could see. */
export function Webhooks({ app }: { app: App }): ReactNode {
  const client = useQueryClient();
  const [channel, setChannel] = useState('');
  const own = (list: readonly Webhook[]): Webhook[] => list.filter((one) => one.app_id === app.id);
  const [incoming, outgoing] = [own(useWebhooks('incoming')), own(useWebhooks('outgoing'))];
  const attempt = (work: Promise<unknown>, done: string): void =>
    void work.then(
      async () => {
        say(done);
        await Promise.all(['incoming', 'outgoing'].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  // with this page's own origin, whatever address the server goes by elsewhere
  const test = (url: string): void =>
    void fetch(ownUrl(url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'A test message' }),
    }).then(
      (answer) => say(answer.ok ? 'Sent.' : `The webhook answered ${answer.status}.`, answer.ok ? {} : { tone: 'bad' }),
      () => say('The webhook cannot be reached.', { tone: 'bad' }),
    );
  const add = (event: FormEvent): void => {
    event.preventDefault();
    attempt(rest('POST /webhooks/incoming', { body: { channel: channel.trim(), app_id: app.id } }), 'Made.');
    setChannel('');
  };
  return (
    <div className={styles.section}>
      {incoming.map((hook) => (
        <div key={hook.id} className={styles.box}>
          <div className={styles.facts}>
            <Badge>incoming</Badge>
            <span className={styles.note}>{hook.channel}</span>
          </div>
          <code className={styles.url}>{hook.url ?? hook.id}</code>
          <div className={styles.buttons}>
            {hook.url !== undefined && (
              <>
                <Button size="small" onPress={() => test(hook.url as string)}>
                  Send a test message
                </Button>
                <CopyButton words label="Copy URL" text={hook.url} />
              </>
            )}
            <Button
              size="small"
              kind="danger"
              onPress={() => attempt(rest(`DELETE /webhooks/incoming/${hook.id}`), 'Removed.')}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      {outgoing.map((hook) => (
        <div key={hook.id} className={styles.box}>
          <div className={styles.facts}>
            <Badge>outgoing</Badge>
            <span className={styles.note}>{hook.events?.join(', ')}</span>
          </div>
          <code className={styles.url}>{hook.url ?? hook.id}</code>
          <div className={styles.buttons}>
            <Button
              size="small"
              kind="danger"
              onPress={() => attempt(rest(`DELETE /webhooks/outgoing/${hook.id}`), 'Removed.')}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      {incoming.length + outgoing.length === 0 && <p className={styles.note}>This app has no webhooks.</p>}
      <form className={styles.form} onSubmit={add}>
        <Field label="New incoming webhook for" placeholder="#general" value={channel} onChange={setChannel} />
        <div className={styles.buttons}>
          <Button type="submit" isDisabled={channel.trim() === ''}>
            Create
          </Button>
        </div>
      </form>
    </div>
  );
}
