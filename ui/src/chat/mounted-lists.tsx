import { useRef, useState, type ReactNode } from 'react';
import { markOf } from '../api/conversations.js';
import { Names, useNames } from '../text/names.js';
import { ChatContext, useChat } from './chat-context.js';
import { MessageList } from './message-list.js';
import type { MessageWindow } from './message-window.js';
import styles from './list.module.css';

/** How many conversations stay rendered, so that going back to one of them shows it at once. */
export const MAX_MOUNTED = 3;

interface MountedList {
  readonly window: MessageWindow;
  readonly channel: string;
  /** Counts the visits to the conversation. */
  readonly visit: number;
  /** The newest message that had been read at the last visit. */
  readonly readTo: string | undefined;
}

interface Lists {
  /** In the order of their first rendering: moving one in the page would lose its scroll position. */
  readonly mounted: readonly MountedList[];
  readonly shown: MessageWindow;
  readonly visits: number;
}

function opened(before: Lists | null, window: MessageWindow, channel: string): Lists {
  const visits = (before?.visits ?? 0) + 1;
  const now: MountedList = { window, channel, visit: visits, readTo: markOf(channel) };
  // a conversation that was loaded again has a new window; the list of the old one is dropped
  const others = (before?.mounted ?? []).filter((one) => one.channel !== channel || one.window === window);
  const mounted = others.some((one) => one.window === window)
    ? others.map((one) => (one.window === window ? now : one))
    : [...others, now];
  const latest = mounted.map(({ visit }) => visit).sort((a, b) => b - a);
  return { mounted: mounted.filter(({ visit }) => latest.indexOf(visit) < MAX_MOUNTED), shown: window, visits };
}

interface MountedListsProps {
  readonly window: MessageWindow;
  readonly channel: string;
  readonly at: string | undefined;
  readonly onSeen: (channel: string, ts: string) => void;
  readonly empty: ReactNode;
  /** What stands above the first message of a conversation. */
  readonly introOf: (channel: string) => ReactNode;
}

/** The messages of the open conversation; the lists of earlier ones stay mounted but hidden. */
export function MountedLists({ window, channel, at, onSeen, empty, introOf }: MountedListsProps): ReactNode {
  const [lists, setLists] = useState(() => opened(null, window, channel));
  let now = lists;
  if (now.shown !== window) {
    now = opened(now, window, channel);
    setLists(now);
  }
  return (
    <div className={styles.stack}>
      {now.mounted.map((one) => {
        const isShown = one.window === window;
        return (
          <div
            key={`${one.channel}:${one.window.serial}`}
            className={styles.mounted}
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
                intro={introOf(one.channel)}
              />
            </AsShown>
          </div>
        );
      })}
    </div>
  );
}

/** A hidden list is not rendered again when a name or a presence changes. */
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
