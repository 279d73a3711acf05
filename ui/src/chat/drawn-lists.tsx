import { useRef, useState, type ReactNode } from 'react';
import { markOf } from '../api/conversations.js';
import { Names, useNames } from '../text/names.js';
import { ChatContext, useChat } from './chat-context.js';
import { MessageList } from './message-list.js';
import type { MessageWindow } from './message-window.js';
import styles from './list.module.css';

/** How many conversations stay drawn: who goes back to one of them sees it at once. */
export const MOST_DRAWN = 3;

interface Drawn {
  readonly window: MessageWindow;
  readonly channel: string;
  /** Counts the times that a conversation was gone to. */
  readonly visit: number;
  /** Up to here everything was read when it was gone to. */
  readonly readTo: string | undefined;
}

interface Lists {
  /** In the order in which they were drawn first: they never move in the page, which would lose where they are scrolled to. */
  readonly drawn: readonly Drawn[];
  readonly shown: MessageWindow;
  readonly visits: number;
}

function opened(before: Lists | null, window: MessageWindow, channel: string): Lists {
  const visits = (before?.visits ?? 0) + 1;
  const now: Drawn = { window, channel, visit: visits, readTo: markOf(channel) };
  // a conversation that was loaded anew has another window: the one before is over
  const others = (before?.drawn ?? []).filter((one) => one.channel !== channel || one.window === window);
  const drawn = others.some((one) => one.window === window)
    ? others.map((one) => (one.window === window ? now : one))
    : [...others, now];
  const latest = drawn.map(({ visit }) => visit).sort((a, b) => b - a);
  return { drawn: drawn.filter(({ visit }) => latest.indexOf(visit) < MOST_DRAWN), shown: window, visits };
}

interface DrawnListsProps {
  readonly window: MessageWindow;
  readonly channel: string;
  readonly at: string | undefined;
  readonly onSeen: (channel: string, ts: string) => void;
  readonly empty: ReactNode;
}

/** The messages of the open conversation; those of the ones before stay as they were, out of sight and out of the way. */
export function DrawnLists({ window, channel, at, onSeen, empty }: DrawnListsProps): ReactNode {
  const [lists, setLists] = useState(() => opened(null, window, channel));
  let now = lists;
  if (now.shown !== window) {
    now = opened(now, window, channel);
    setLists(now);
  }
  return (
    <div className={styles.stack}>
      {now.drawn.map((one) => {
        const isShown = one.window === window;
        return (
          <div
            key={`${one.channel}:${one.window.serial}`}
            className={styles.drawn}
            inert={!isShown}
            data-shown={isShown}
          >
            <AsShown isShown={isShown}>
              <MessageList
                window={one.window}
                channel={one.channel}
                isShown={isShown}
                visit={one.visit}
                at={isShown ? at : undefined}
                readTo={one.readTo}
                onSeen={onSeen}
                empty={isShown ? empty : null}
              />
            </AsShown>
          </div>
        );
      })}
    </div>
  );
}

/** What is out of sight is not drawn again because somebody got another name, or is away. */
function AsShown({ isShown, children }: { isShown: boolean; children: ReactNode }): ReactNode {
  const now = { chat: useChat(), names: useNames() };
  const last = useRef(now);
  if (isShown) last.current = now;
  const { chat, names } = last.current;
  return (
    <ChatContext.Provider value={chat}>
      <Names.Provider value={names}>{children}</Names.Provider>
    </ChatContext.Provider>
  );
}
