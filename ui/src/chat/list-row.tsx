import { memo, useLayoutEffect, useRef, type ReactNode } from 'react';
import type { Item } from './list-items.js';
import { MessageRow } from './message-row.js';
import type { MessageWindow } from './message-window.js';
import { PendingRow } from './pending-row.js';
import styles from './list.module.css';

interface ListRowProps {
  readonly item: Item;
  readonly index: number;
  /** How far below the top of the list it stands. */
  readonly start: number;
  readonly isTabStop: boolean;
  readonly isMarked: boolean;
  readonly inThread: boolean;
  /** In a thread: how many replies there are, on the first of them. */
  readonly replies: number | null;
  readonly channel: string;
  readonly window: MessageWindow;
  readonly measure: (element: HTMLElement | null) => void;
}

/** A row of the list, drawn again only when something about it changed: scrolling moves the others' numbers alone. */
export const ListRow = memo(function ListRow(props: ListRowProps): ReactNode {
  const { item, index, start, isTabStop, isMarked, inThread, replies, channel, window, measure } = props;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    measure(place.current);
    return () => measure(null);
  }, [measure]);
  return (
    <div
      role="listitem"
      aria-setsize={-1}
      aria-posinset={index + 1}
      tabIndex={isTabStop ? 0 : -1}
      data-key={item.key}
      data-index={index}
      data-ts={item.kind === 'message' ? item.message.ts : undefined}
      className={styles.item}
      // written before any row is measured: each measuring after a change would lay the page out anew
      style={{ transform: `translateY(${start}px)` }}
      ref={place}
    >
      {item.kind === 'pending' ? (
        <PendingRow pending={item.pending} window={window} channel={channel} isFollowUp={item.isFollowUp} />
      ) : (
        <>
          {item.day !== null && <Day name={item.day} />}
          {item.isNew && (
            <div className={styles.new}>
              <span>New</span>
            </div>
          )}
          {replies !== null && (
            <div className={styles.threadLine}>
              <span>{replies === 1 ? '1 reply' : `${replies} replies`}</span>
            </div>
          )}
          <MessageRow
            message={item.message}
            channel={channel}
            isFollowUp={item.isFollowUp && replies === null}
            isMarked={isMarked}
            inThread={inThread}
          />
          {item.dayAfter !== null && <Day name={item.dayAfter} />}
        </>
      )}
    </div>
  );
});

const Day = ({ name }: { name: string }): ReactNode => (
  <div className={styles.day}>
    <span className={styles.dayName}>{name}</span>
  </div>
);
