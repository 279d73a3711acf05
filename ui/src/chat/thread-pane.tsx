import { useEffect, useMemo, type ReactNode } from 'react';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { Pane } from '../kit/pane.js';
import { AssistantLine } from './assistant-line.js';
import { Composer } from './composer.js';
import { MessageList } from './message-list.js';
import { SessionTitle } from './session-title.js';
import { threadWindow } from './windows.js';
import styles from './pages.module.css';

interface ThreadProps {
  readonly channel: string;
  readonly channelName: string;
  readonly ts: string;
  readonly at?: string | undefined;
  readonly members: ReadonlySet<string>;
  readonly canPost: boolean;
  readonly onClose: () => void;
}

/** A thread beside its conversation. */
export function ThreadPane({ channel, channelName, ts, at, members, canPost, onClose }: ThreadProps): ReactNode {
  const window = useMemo(() => threadWindow(channel, ts), [channel, ts]);
  const state = useStore(window);
  useEffect(() => {
    if (!window.get().isLoaded) void window.loadNewest();
  }, [window]);
  const parent = state.messages.find((message) => message.ts === ts);
  const session = parent?.agent_session;
  return (
    <Pane name="Thread" title="Thread" note={channelName} onClose={onClose}>
      {session && <SessionTitle channel={channel} thread={ts} title={session.title ?? null} />}
      {state.error !== null && state.messages.length === 0 ? (
        <p className={styles.paneError}>{wordsFor(state.error)}</p>
      ) : (
        <MessageList key={`${channel}:${ts}`} window={window} channel={channel} inThread at={at} />
      )}
      <AssistantLine channel={channel} thread={ts} session={session} />
      {canPost && <Composer key={ts} channel={channel} thread={ts} label="Reply…" members={members} autoFocus />}
    </Pane>
  );
}
