import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { wordsFor } from '../api/errors.js';
import { useStoreWhile } from '../kit/store.js';
import { Button } from '../kit/button.js';
import { isBackNavigation } from '../kit/back-navigation.js';
import { useAsFirstScreen } from '../kit/first-screen.js';
import { Skeleton } from '../kit/misc.js';
import { dateOfTs, dayName, useZone } from '../text/time.js';
import { mayEdit, useChat } from './chat-context.js';
import { itemsOf, withSame, type Item } from './list-items.js';
import { onListKey } from './list-keys.js';
import { ListRow } from './list-row.js';
import { settle, useEndInView } from './settle.js';
import type { MessageWindow } from './message-window.js';
import type { WindowState } from './window.js';
import styles from './list.module.css';

interface ListProps {
  readonly window: MessageWindow;
  readonly channel: string;
  readonly inThread?: boolean;
  /** Mounted but hidden: it is not updated until it is shown again. */
  readonly isShown?: boolean;
  /** Changes with each visit. */
  readonly visit?: number;
  /** The message that the address names. */
  readonly at?: string | undefined;
  /** The newest message that was read when the conversation was opened. */
  readonly readTo?: string | undefined;
  /** Called when the newest message is in view and the tab is visible. */
  readonly onSeen?: (channel: string, ts: string) => void;
  readonly empty?: ReactNode;
  /** Stands above the first message of the conversation. */
  readonly intro?: ReactNode;
}

const AUTHOR_PX = 54;
const FOLLOW_UP_PX = 28;
const BELOW_PX = 12;
/** The part of the window that other components use. */
const AROUND_PX = 200;

const guessSize = (item: Item | undefined): number =>
  item?.kind === 'message' && item.isFollowUp ? FOLLOW_UP_PX : AUTHOR_PX;

/** A conversation's messages, virtualized: only rows near the viewport are in the page. */
export function MessageList(props: ListProps): ReactNode {
  const { window, empty, isShown = true } = props;
  const state = useStoreWhile(window, isShown);
  const { isLoaded, error, messages, pending } = state;
  useAsFirstScreen(isLoaded || error !== null);
  if ((isLoaded && messages.length > 0) || pending.length > 0) return <Rows {...props} state={state} />;
  return (
    <div className={styles.frame}>
      <div className={styles.scroller}>
        {isLoaded && empty}
        {!isLoaded && error === null && <Skeleton rows={9} />}
        {!isLoaded && error !== null && (
          <div className={styles.error}>
            <p>{wordsFor(error)}</p>
            <Button onPress={() => void window.loadNewest()}>Try again</Button>
          </div>
        )}
        <div role="list" aria-label="Messages" className={styles.list} />
      </div>
    </div>
  );
}

function Rows(props: ListProps & { readonly state: WindowState }): ReactNode {
  const { window, channel, state, inThread = false, isShown = true, visit = 0, at, readTo, onSeen, intro } = props;
  const chat = useChat();
  const zone = useZone();
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [unseen, setUnseen] = useState(0);
  const [marked, setMarked] = useState<string | undefined>();
  const [focused, setFocused] = useState<string | null>(null);
  const before = useRef<readonly Item[]>([]);
  const items = useMemo(
    () =>
      (before.current = withSame(
        before.current,
        itemsOf({
          messages: state.messages,
          pending: state.pending,
          readTo,
          meId: chat.meId,
          keyOf: (ts) => window.keyOf(ts),
          inThread,
          hasOlder: state.hasOlder,
          seams: window.seams,
        }),
      )),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the zone decides where days begin
    [state.messages, state.pending, state.hasOlder, readTo, chat.meId, window, inThread, zone],
  );
  // renders the end of the list at once; rows have the sizes measured earlier, or an estimate
  const [first] = useState(() => {
    const height = Math.max(0, globalThis.innerHeight - AROUND_PX);
    const known = new Map(window.sizes.map(({ key, size }) => [key, size]));
    const all = items.reduce((sum, item) => sum + (known.get(item.key) ?? guessSize(item)), BELOW_PX);
    return {
      rect: { width: 0, height },
      offset: at === undefined ? Math.max(0, all - height) : 0,
      sizes: window.sizes,
    };
  });
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guessSize(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    initialMeasurementsCache: first.sizes,
    initialOffset: first.offset,
    initialRect: first.rect,
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: !state.hasNewer,
    scrollEndThreshold: 80,
    paddingEnd: BELOW_PX,
  });

  const measure = useCallback(
    (row: HTMLElement | null) => {
      virtual.measureElement(row);
      // while one scrolls it leaves new rows to its observer, which gets some of them only after they were painted
      if (row && virtual.isScrolling) virtual.resizeItem(virtual.indexFromElement(row), row.offsetHeight);
    },
    [virtual],
  );

  const indexOf = useCallback(
    (ts: string) => items.findIndex((item) => item.kind === 'message' && item.message.ts >= ts),
    [items],
  );

  const atEnd = useRef(true);
  atEnd.current = isAtEnd;
  // initial position: where the person left the list, else the end, or the message that the address names
  const placed = useRef<string | null>(null);
  const shownItems = useRef(items);
  const place = `${visit}:${at === undefined ? '' : `${at}:${state.messages.some(({ ts }) => ts === at)}`}`;
  useLayoutEffect(() => {
    if (!isShown || placed.current === place) return;
    const isFirst = placed.current === null;
    const isLeft = !isFirst && !placed.current?.startsWith(`${visit}:`);
    placed.current = place;
    const isSame = shownItems.current === items;
    // keep the position: the list was at its end and has nothing new, or the person came back to it
    if (isLeft && at === undefined && (atEnd.current ? isSame : isBackNavigation())) return;
    const left = isFirst && isBackNavigation() ? window.leftAt : null;
    const leftIndex = left === null ? -1 : indexOf(left.ts);
    if (left !== null && leftIndex >= 0) {
      virtual.scrollToIndex(leftIndex, { align: 'start' });
      return settle(() => {
        const { current } = scroller;
        const row = current?.querySelector(`[data-index="${leftIndex}"]`);
        if (current && row)
          current.scrollTop += row.getBoundingClientRect().top - current.getBoundingClientRect().top + left.above;
      });
    }
    if (at === undefined) {
      virtual.scrollToEnd();
      return isLeft ? settle(() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight })) : undefined;
    }
    const index = indexOf(at);
    if (index >= 0) virtual.scrollToIndex(index, { align: 'center' });
    setMarked(at);
    const timer = setTimeout(() => setMarked(undefined), 3_000);
    return () => clearTimeout(timer);
  }, [isShown, place, visit, at, items, virtual, indexOf]);

  useEffect(() => void (isShown && (shownItems.current = items)), [isShown, items]);

  // remembers the top row, to restore the position later
  const leaving = useRef(() => {});
  leaving.current = () => {
    window.sizes = virtual.takeSnapshot();
    const { current } = scroller;
    const top = current?.getBoundingClientRect().top ?? 0;
    const rows = [...(current?.querySelectorAll<HTMLElement>('[data-ts]') ?? [])];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > top + 1);
    const ts = row?.dataset['ts'];
    window.leftAt = row && ts && !isAtEnd ? { ts, above: top - row.getBoundingClientRect().top } : null;
  };
  useLayoutEffect(() => () => leaving.current(), []);

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    setAtEnd(below < 80 && !state.hasNewer);
    if (element.scrollTop < element.clientHeight * 2) void window.loadOlder();
    if (below < element.clientHeight * 2) void window.loadNewer();
  };
  // a page that does not fill the viewport loads the next one by itself
  useEffect(() => {
    const element = scroller.current;
    if (element && state.hasOlder && state.loading === null && element.scrollHeight <= element.clientHeight * 2)
      void window.loadOlder();
  }, [state.hasOlder, state.loading, items.length, window]);

  useEndInView(scroller, atEnd);

  const last = state.messages.at(-1)?.ts;
  const seenBefore = useRef(last);
  useEffect(() => {
    if (last === undefined || !isShown) return;
    const isVisible = document.visibilityState === 'visible';
    if (isAtEnd && isVisible) {
      setUnseen(0);
      seenBefore.current = last;
      onSeen?.(channel, last);
    } else if (seenBefore.current !== undefined && last > seenBefore.current) {
      setUnseen(state.messages.filter((message) => message.ts > (seenBefore.current as string)).length);
    }
  }, [last, isShown, isAtEnd, channel, onSeen, state.messages]);

  const toEnd = (): void => {
    if (state.hasNewer) void window.loadNewest().then(() => virtual.scrollToEnd());
    else virtual.scrollToEnd();
  };
  const focusRow = (wanted: number): void => {
    const index = Math.min(items.length - 1, Math.max(0, wanted));
    const find = (): HTMLElement | null | undefined =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (!find()) virtual.scrollToIndex(index);
    requestAnimationFrame(() => {
      find()?.focus();
      find()?.scrollIntoView({ block: 'nearest' });
    });
  };
  const edit = (ts: string): boolean => {
    const message = state.messages.find((one) => one.ts === ts);
    if (!message || !mayEdit(message, chat.meId)) return false;
    chat.edit(ts);
    return true;
  };
  const rows = virtual.getVirtualItems();
  const focusedRow = rows.find((row) => row.key === focused);
  const tabStop = focusedRow?.index ?? items.length - 1;
  const [firstRow, lastRow] = [items[rows[0]?.index ?? -1], items[rows.at(-1)?.index ?? -1]];
  useEffect(() => {
    if (firstRow?.kind === 'message') window.inView(firstRow.message.ts, lastTsOf(lastRow) ?? last ?? '');
  }, [window, firstRow, lastRow, last]);
  const scrolledTo = scroller.current?.scrollTop ?? 0;
  const topRow = rows.find((row) => row.end > scrolledTo + 1);
  const top = items[topRow?.index ?? 0];
  // a day that begins in view says so itself
  const showsDay = top?.kind === 'message' && (top.day !== null || top.dayAfter !== null);
  return (
    <div className={styles.frame}>
      {top?.kind === 'message' && !inThread && scrolledTo > 30 && !showsDay && (
        <div className={styles.sticky} aria-hidden>
          <span className={styles.dayName}>{dayName(dateOfTs(top.message.ts))}</span>
        </div>
      )}
      <div ref={scroller} className={styles.scroller} onScroll={onScroll} tabIndex={-1}>
        {!inThread && <div className={styles.spacer} aria-hidden />}
        <div
          role="list"
          aria-label="Messages"
          className={styles.list}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={(event) => onListKey(event, { focusRow, edit })}
          onFocus={(event) => {
            const item = (event.target as HTMLElement).closest<HTMLElement>('[role="listitem"]');
            if (item) setFocused(item.dataset['key'] ?? null);
          }}
        >
          {rows.map((row) => {
            const item = items[row.index] as Item;
            return (
              <ListRow
                key={row.key}
                item={item}
                index={row.index}
                start={row.start}
                isTabStop={row.index === tabStop}
                isMarked={item.kind === 'message' && item.message.ts === marked}
                inThread={inThread}
                replies={inThread && row.index === 1 ? items.length - 1 : null}
                intro={row.index === 0 && !inThread && !state.hasOlder ? intro : undefined}
                channel={channel}
                window={window}
                measure={measure}
              />
            );
          })}
        </div>
      </div>
      {!isAtEnd && (unseen > 0 || state.hasNewer) && (
        <div className={styles.toEnd}>
          <Button kind="primary" size="small" onPress={toEnd} icon={<ArrowDown size={14} />}>
            {unseen > 0 ? `${unseen} new` : 'To the newest'}
          </Button>
        </div>
      )}
    </div>
  );
}

const lastTsOf = (item: Item | undefined): string | undefined =>
  item?.kind === 'message' ? item.message.ts : undefined;
