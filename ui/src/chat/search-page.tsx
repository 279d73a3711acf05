import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { Link, useGo } from '../kit/link.js';
import { call } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import type { SearchMatch } from '../api/wire.js';
import { displayName } from '../api/directory.js';
import { useCurrentUser } from '../api/current-user.js';
import { Avatar } from '../kit/avatar.js';
import { Button } from '../kit/button.js';
import { isBackNavigation } from '../kit/back-navigation.js';
import { Choice } from '../kit/field.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { loadEmoji } from '../text/emoji.js';
import { markWholePieces } from '../text/found-marks.js';
import { Mrkdwn } from '../text/mrkdwn-view.js';
import { Names } from '../text/names.js';
import { dateOfTs, dayName, clockTime } from '../text/time.js';
import type { Chat } from './chat-context.js';
import { ownPath, useChatValue } from './chat-page.js';
import styles from './search.module.css';

interface SearchAnswer {
  messages: { total: number; matches: SearchMatch[]; paging: { page: number; pages: number } };
}

const OPERATORS: readonly (readonly [string, string])[] = [
  ['"two words"', 'a phrase'],
  ['-word', 'without the word'],
  ['in:#general', 'in a channel, or with @name'],
  ['from:@alice', 'by a person; from:me is you'],
  ['before:2026-01-31', 'also after:, on:, during:'],
  [':tada:', 'an emoji in the text'],
  ['has:link', 'also has:reaction, has::tada:'],
  ['is:thread', 'in a thread'],
];

const Operators = (): ReactNode => (
  <dl className={styles.operators}>
    {OPERATORS.map(([operator, words]) => (
      <div key={operator}>
        <dt>
          <code>{operator}</code>
        </dt>
        <dd>{words}</dd>
      </div>
    ))}
  </dl>
);

/** The scroll position of the last results, restored on coming back to them. */
const leftAt = new Map<string, number>();

/** Search results from every conversation that the person can see. */
export function SearchPage(): ReactNode {
  const who = useCurrentUser();
  const [search, setSearch] = useSearchParams();
  const navigate = useGo();
  const query = search.get('q') ?? '';
  const sort = search.get('sort') === 'timestamp' ? 'timestamp' : 'score';
  const { chat, names } = useChatValue(
    () => undefined,
    () => undefined,
    () => undefined,
  );
  const found = useInfiniteQuery({
    queryKey: ['search', who.id, query, sort],
    queryFn: ({ pageParam }) =>
      call<SearchAnswer>('search.messages', { query, sort, count: 50, page: pageParam, highlight: true }),
    initialPageParam: 1,
    getNextPageParam: ({ messages: { paging } }) => (paging.page < paging.pages ? paging.page + 1 : undefined),
    enabled: query !== '',
    retry: false,
  });
  useEffect(() => void loadEmoji(), []);
  const page = useRef<HTMLElement>(null);
  const isLoaded = found.data !== undefined;
  const place = `${query} ${sort}`;
  useLayoutEffect(() => {
    if (isLoaded && isBackNavigation()) page.current?.scrollTo({ top: leftAt.get(place) ?? 0 });
  }, [isLoaded, place]);
  const total = found.data?.pages[0]?.messages.total;
  const matches = found.data?.pages.flatMap((page) => page.messages.matches) ?? [];
  return (
    <main
      id="main"
      ref={page}
      className={styles.page}
      onScroll={(event) => {
        leftAt.clear();
        leftAt.set(place, event.currentTarget.scrollTop);
      }}
    >
      <header className={styles.head}>
        <h1 className={styles.title}>{query === '' ? 'Search' : `“${query}”`}</h1>
        <span className={styles.count} role="status">
          {total !== undefined && (total === 1 ? '1 message' : `${total} messages`)}
        </span>
        <Choice
          label="Order"
          hideLabel
          value={sort}
          options={[
            ['score', 'Most relevant first'],
            ['timestamp', 'Newest first'],
          ]}
          onChange={(next) => setSearch({ q: query, sort: next })}
        />
      </header>
      {query === '' && (
        <Empty title="Search the workspace">
          <Operators />
        </Empty>
      )}
      {query !== '' && found.isPending && <Skeleton />}
      {found.error && <Empty title={wordsFor(found.error)} />}
      {total === 0 && (
        <Empty title="No results" icon={<SearchX size={22} />}>
          <p>Try fewer words, or one of these:</p>
          <Operators />
        </Empty>
      )}
      <Names.Provider value={names}>
        <ul className={styles.list} aria-label="Found messages">
          {matches.map((match) => (
            <Match key={match.iid} match={match} chat={chat} onOpen={navigate} />
          ))}
        </ul>
      </Names.Provider>
      {found.hasNextPage && <More onReached={() => void found.fetchNextPage()} isBusy={found.isFetchingNextPage} />}
    </main>
  );
}

function Match({ match, chat, onOpen }: { match: SearchMatch; chat: Chat; onOpen: (path: string) => void }): ReactNode {
  const name = displayName(chat.users.get(match.user ?? '')) ?? match.username ?? match.user ?? 'unknown';
  const room = match.channel.is_im
    ? (displayName(chat.users.get(match.channel.name)) ?? match.channel.name)
    : `#${match.channel.name}`;
  const date = dateOfTs(match.ts);
  const path = ownPath(match.permalink) ?? chat.channelPath(match.channel.id, match.ts);
  return (
    <li className={styles.match}>
      <Link href={path} className={styles.where}>
        <bdi>{room}</bdi> · {dayName(date)}, {clockTime(date)}
      </Link>
      {/* a click anywhere on the result opens it; the link above offers the same to screen readers */}
      <div
        className={styles.message}
        onClick={(event) => {
          if (!(event.target as HTMLElement).closest('a, button')) onOpen(path);
        }}
        role="presentation"
      >
        <Avatar name={name} seed={match.user} size={28} />
        <div className={styles.text}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <Mrkdwn text={markWholePieces(match.text)} />
        </div>
      </div>
    </li>
  );
}

/** Loads the next page near the end of this one. */
function More({ onReached, isBusy }: { onReached: () => void; isBusy: boolean }): ReactNode {
  const mark = useRef<HTMLDivElement>(null);
  const reached = useRef(onReached);
  reached.current = onReached;
  useEffect(() => {
    if (!mark.current || isBusy) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && reached.current(), {
      rootMargin: '800px',
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <div ref={mark} className={styles.more}>
      <Button onPress={onReached} isDisabled={isBusy}>
        {isBusy ? 'Loading…' : 'Show more'}
      </Button>
    </div>
  );
}
