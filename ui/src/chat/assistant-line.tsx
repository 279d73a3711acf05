import type { ReactNode } from 'react';
import { Sparkles } from 'lucide-react';
import { call } from '../api/client.js';
import { findConversation } from '../api/conversations.js';
import { displayName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { say } from '../kit/toasts.js';
import { useChat } from './chat-context.js';
import { screen } from './screen.js';
import styles from './composer.module.css';

/** An assistant's status and suggestions in a thread: "deploy-bot is thinking…", and prompts as buttons. */
export function AssistantLine({ channel, thread }: { channel: string; thread: string }): ReactNode {
  const chat = useChat();
  const { assistant } = useStore(screen);
  const shown = assistant.find((one) => one.channel === channel && one.thread_ts === thread);
  if (!shown) return null;
  const app = displayName(chat.users.get(findConversation(channel)?.user ?? '')) ?? 'The app';
  const post = (message: string): void =>
    void call('chat.postMessage', { channel, thread_ts: thread, text: message }).catch((error: unknown) =>
      say(wordsFor(error), { tone: 'bad' }),
    );
  const prompts = shown.prompts ?? [];
  return (
    <div className={styles.assistant}>
      {prompts.length > 0 && (
        <div className={styles.prompts} role="group" aria-label="Suggested prompts">
          {prompts.map(({ title, message }) => (
            <button key={title} type="button" className={styles.prompt} onClick={() => post(message)}>
              {title}
            </button>
          ))}
        </div>
      )}
      {shown.status !== '' && (
        <p className={styles.status} role="status">
          <Sparkles size={13} aria-hidden />
          {app} {shown.status}
        </p>
      )}
    </div>
  );
}
