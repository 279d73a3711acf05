import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { call } from '../api/client.js';
import { me } from '../api/persona.js';
import { useFirstScreen } from '../kit/first-screen.js';
import { EmojiMark, SafeLink } from '../text/mrkdwn-view.js';
import styles from './pages.module.css';

interface Bookmark {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly emoji?: string | null;
}

/** The links that were put over a channel; nothing tells of changes, so they are read with each visit. */
export function BookmarksBar({ channel }: { channel: string }): ReactNode {
  const { data = [] } = useQuery({
    enabled: useFirstScreen(),
    queryKey: ['bookmarks', channel, me().id],
    queryFn: () => call<{ bookmarks: Bookmark[] }>('bookmarks.list', { channel_id: channel }),
    select: ({ bookmarks }) => bookmarks,
    retry: false,
  });
  if (data.length === 0) return null;
  return (
    <ul className={styles.bookmarks} aria-label="Bookmarks">
      {data.map(({ id, title, link, emoji }) => (
        <li key={id}>
          {emoji ? <EmojiMark name={emoji.replaceAll(':', '')} /> : <Link2 size={13} aria-hidden />}
          <SafeLink url={link}>{title}</SafeLink>
        </li>
      ))}
    </ul>
  );
}
