import { useMemo, useState, type ReactNode } from 'react';
import { MessagesSquare, Plus } from 'lucide-react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { Button } from '../kit/button.js';
import { Link, useGo } from '../kit/link.js';
import { Empty } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import type { Message } from '../api/wire.js';
import { ago, dateOfTs } from '../text/time.js';
import { statusWord } from './agent-notes.js';
import { useChat } from './chat-context.js';
import { screen, type Screen } from './screen.js';
import { SessionTitle } from './session-title.js';
import { channelWindow } from './windows.js';
import styles from './pages.module.css';

interface Listed {
  readonly ts: string;
  readonly title: string | null;
  /** Null: a thread without a session. */
  readonly status: string | null;
}

/** The threads of a direct message with an agent or assistant, the newest first. */
export function chatsOf(channel: string, { sessions, assistant }: Screen, messages: readonly Message[]): Listed[] {
  const chats = new Map<string, Listed>();
  for (const { ts, assistant_app_thread: begun } of messages)
    if (begun) chats.set(ts, { ts, title: begun.title, status: null });
  for (const one of assistant)
    if (one.channel === channel && one.thread_ts !== null && one.title !== null)
      chats.set(one.thread_ts, { ts: one.thread_ts, title: one.title, status: null });
  for (const { channel: where, thread_ts: ts, title, status } of sessions)
    if (where === channel) chats.set(ts, { ts, title: title ?? chats.get(ts)?.title ?? null, status });
  return [...chats.values()].toSorted((a, b) => (a.ts < b.ts ? 1 : -1));
}

interface ChatsTabProps {
  readonly channel: string;
  readonly appId: string;
  /** Whether people begin chats with the app; else a message is the beginning of one. */
  readonly canBegin: boolean;
}

/** A person's chats with an agent or assistant. */
export function ChatsTab({ channel, appId, canBegin }: ChatsTabProps): ReactNode {
  const chat = useChat();
  const go = useGo();
  const shown = useStore(screen);
  const window = useMemo(() => channelWindow(channel), [channel]);
  const { messages } = useStore(window);
  const [isBusy, setBusy] = useState(false);
  const chats = chatsOf(channel, shown, messages);
  const begin = async (): Promise<void> => {
    setBusy(true);
    try {
      go(chat.threadPath(channel, await beginChat(appId, null)));
      await window.resync();
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles.paneBody}>
      {canBegin && (
        <Button kind="primary" size="small" icon={<Plus size={14} />} isDisabled={isBusy} onPress={() => void begin()}>
          New chat
        </Button>
      )}
      {chats.length === 0 ? (
        <Empty title="No chats yet" icon={<MessagesSquare size={22} />}>
          {canBegin
            ? 'Begin one, and the app is told.'
            : 'The app makes a session for a thread with agents.sessions.setStatus.'}
        </Empty>
      ) : (
        <ul className={styles.chats} aria-label="Chats">
          {chats.map(({ ts, title, status }) => {
            const href = chat.threadPath(channel, ts);
            return (
              <li key={ts}>
                {status === null ? (
                  <div className={styles.sessionTitle}>
                    <bdi className={styles.sessionName}>
                      <Link href={href}>{title}</Link>
                    </bdi>
                  </div>
                ) : (
                  <SessionTitle channel={channel} thread={ts} title={title} href={href} />
                )}
                <span className={styles.chatNote}>
                  {status !== null && `${statusWord(status)} · `}
                  {ago(dateOfTs(ts))}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/**
 * Begins a thread with an assistant, which is told so and what is looked at. Answers its first message's ts.
 * @throws ApiError
 */
export async function beginChat(appId: string, beside: string | null): Promise<string> {
  const body = { app_id: appId, context: beside, until: 'none' };
  const { result } = await rest<{ result: { thread_ts: string } }>('POST /act/assistant_thread', {
    as: 'persona',
    body,
  });
  return result.thread_ts;
}
