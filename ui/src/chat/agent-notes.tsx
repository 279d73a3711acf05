import type { ReactNode } from 'react';
import { CircleStop, MessagesSquare } from 'lucide-react';
import { Link } from '../kit/link.js';
import { useStore } from '../kit/store.js';
import type { AgentSession, Message } from '../api/wire.js';
import { useChat } from './chat-context.js';
import { screen } from './screen.js';
import styles from './message.module.css';

const ENDS: Readonly<Record<string, string>> = { expired: 'Stopped responding', stopped_by_user: 'Stopped' };

/** How a stream ended, unless its app ended it. */
export function StreamEnd({ channel, ts }: { channel: string; ts: string }): ReactNode {
  const { streams } = useStore(screen);
  const words = ENDS[streams.find((one) => one.channel === channel && one.ts === ts)?.state ?? ''];
  if (words === undefined) return null;
  return (
    <p className={styles.ended}>
      <CircleStop size={13} aria-hidden />
      {words}
    </p>
  );
}

const STATUSES: Readonly<Record<AgentSession['status'], string>> = {
  processing: 'Working',
  suspended: 'Waiting',
  active: 'Open',
  closed: 'Closed',
};

/** A session's status in a word. */
export const statusWord = (status: string): string => STATUSES[status as AgentSession['status']] ?? status;

/** Below the first message of a thread with agents: the session's title and status. */
export function SessionLine({ message, channel }: { message: Message; channel: string }): ReactNode {
  const chat = useChat();
  const { agent_session: session } = message;
  if (!session) return null;
  return (
    <p className={styles.session}>
      <MessagesSquare size={13} aria-hidden />
      <Link href={chat.threadPath(channel, message.ts)}>{session.title ?? 'Session'}</Link>
      {statusWord(session.status)}
    </p>
  );
}
