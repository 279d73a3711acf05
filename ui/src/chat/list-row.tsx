import { memo, useLayoutEffect, useRef, type ReactNode } from 'react';
import type { Item } from './list-items.js';
import { MessageRow } from './message-row.js';
import type { MessageWindow } from './message-window.js';
import { PendingRow } from './pending-row.js';
import styles from './list.module.css';

interface ListRowProps {
  readonly item: Item;
  readonly index: number;
  /** Offset from the top of the list. */
  readonly start: number;
  readonly isTabStop: boolean;
  readonly isMarked: boolean;
  readonly inThread: boolean;
  /** In a thread: the number of replies, on the first of them. */
  readonly replies: number | null;
  /** Above the first message of a conversation. */
  readonly intro?: ReactNode;
  readonly channel: string;
  readonly window: MessageWindow;
  readonly measure: (element: HTMLElement | null) => void;
}

/**
 * A row of the list, rendered again only when its own data changed: scrolling changes only the indexes of the others.
 */
export const ListRow = memo(function ListRow(props: ListRowProps): ReactNode {
  const { item, index, start, isTabStop, isMarked, inThread, replies, intro, channel, window, measure } = props;
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
      // written before any row is measured: measuring after each change would force a layout each time
      style={{ transform: `translateY(${start}px)` }}
      ref={place}
    >
      {item.kind === 'pending' ? (
        <PendingRow pending={item.pending} window={window} channel={channel} isFollowUp={item.isFollowUp} />
      ) : (
        <>
          {intro}
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
