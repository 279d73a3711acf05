import { useState, type ReactNode } from 'react';
import type { App } from '../api/apps.js';
import { rest } from '../api/client.js';
import { conversations } from '../api/conversations.js';
import { useCurrentUser } from '../api/current-user.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, ErrorLine, Field } from '../kit/field.js';
import { useStore } from '../kit/store.js';
import styles from './apps.module.css';

interface Declared {
  oauth_config?: { scopes?: { bot?: string[]; user?: string[] } };
}

const WEBHOOK = 'incoming-webhook';
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Consents to an app as who is signed in, and goes to the app with the code. */
export function InstallDialog({ app, onClose }: { app: App; onClose: () => void }): ReactNode {
  const { team, session } = useCurrentUser();
  const declared = ((app.manifest ?? {}) as Declared).oauth_config?.scopes ?? {};
  const [bot, setBot] = useState((declared.bot ?? []).join(', '));
  const [user, setUser] = useState((declared.user ?? []).join(', '));
  const [url, setUrl] = useState(app.redirect_urls[0] ?? '');
  const [channel, setChannel] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const channels = (useStore(conversations) ?? []).filter((one) => one.name !== undefined && !one.is_archived);
  const asksChannel = listOf(bot).includes(WEBHOOK);
  const install = async (): Promise<void> => {
    setFault(null);
    setBusy(true);
    const body = {
      scope: listOf(bot).join(','),
      user_scope: listOf(user).join(','),
      // the first one is used anyway, and an app that names none in its exchange may then do so
      ...(url.trim() === (app.redirect_urls[0] ?? '') ? {} : { redirect_uri: url.trim() }),
      ...(asksChannel && channel !== '' ? { channel } : {}),
    };
    try {
      const { redirect_to: to } = await rest<{ redirect_to: string }>(`POST /apps/${app.id}/install`, { body });
      window.location.assign(to);
    } catch (error) {
      setBusy(false);
      setFault(wordsFor(error));
    }
  };
  return (
    <Dialog
      title={`Install ${app.name} in ${team.name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={isBusy} onPress={() => void install()}>
            Allow
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.note}>
          You allow it as {session.user.real_name || session.user.name}. This browser then goes to the app with a code,
          as it does from the consent page.
        </p>
        <Field label="Bot scopes" value={bot} onChange={setBot} lines={2} mono />
        <Field label="User scopes" value={user} onChange={setUser} lines={2} mono />
        {app.redirect_urls.length > 1 ? (
          <Choice
            label="Redirect URL"
            value={url}
            options={app.redirect_urls.map((one) => [one, one] as const)}
            onChange={setUrl}
          />
        ) : (
          <Field
            label="Redirect URL"
            value={url}
            onChange={setUrl}
            placeholder="http://localhost:3000/slack/oauth_redirect"
          />
        )}
        {asksChannel && (
          <Choice
            label="Channel to post to"
            value={channel}
            options={[['', '#general'], ...channels.map(({ id, name }) => [id, `#${name}`] as const)]}
            onChange={setChannel}
          />
        )}
        <ErrorLine>{fault}</ErrorLine>
      </div>
    </Dialog>
  );
}
