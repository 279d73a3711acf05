import type { ReactNode } from 'react';
import { useGo } from '../kit/link.js';
import { call } from '../api/client.js';
import { loadConversations } from '../api/conversations.js';
import { lookUp } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { actAs } from '../api/persona.js';
import type { User } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Skeleton, Id } from '../kit/misc.js';
import { Pane } from '../kit/pane.js';
import { say } from '../kit/toasts.js';
import { EmojiMark } from '../text/mrkdwn-view.js';
import { OwnProfile, ProfileHead as Head } from '../profile/profile.js';
import { useChat } from './chat-context.js';
import styles from './details.module.css';

/** A person's profile; the current person's own is edited here. */
export function ProfilePane({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const chat = useChat();
  const user = chat.users.get(id);
  if (!user) lookUp(id);
  return (
    <Pane name="Details" title="Profile" onClose={onClose}>
      {!user ? <Skeleton /> : id === chat.meId ? <OwnProfile /> : <Profile user={user} />}
    </Pane>
  );
}

function Profile({ user }: { user: User }): ReactNode {
  const chat = useChat();
  const navigate = useGo();
  const { profile } = user;
  const message = async (): Promise<void> => {
    try {
      const { channel } = await call<{ channel: { id: string } }>('conversations.open', { users: user.id });
      await loadConversations();
      navigate(chat.channelPath(channel.id));
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    }
  };
  return (
    <div className={styles.profile}>
      <Head user={user} />
      {(profile.status_text || profile.status_emoji) && (
        <p>
          {profile.status_emoji && <EmojiMark name={profile.status_emoji.replace(/^:|:$/g, '')} />}{' '}
          {profile.status_text}
        </p>
      )}
      <div className={styles.buttons}>
        <Button kind="primary" onPress={() => void message()}>
          Message
        </Button>
        {chat.mayInspect && !user.is_bot && (
          <Button onPress={() => void actAs(user.id).catch((error: unknown) => say(wordsFor(error), { tone: 'bad' }))}>
            Act as
          </Button>
        )}
      </div>
      <dl className={styles.facts}>
        {(
          [
            ['Title', profile.title],
            ['E-mail', profile.email],
            ['ID', user.id],
            ['Bot ID', profile.bot_id],
            ['App ID', profile.api_app_id],
          ] as const
        ).map(([label, value]) =>
          value ? (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{label.endsWith('ID') ? <Id id={value} /> : value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </div>
  );
}
