import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../kit/link.js';
import { everything, useApps } from '../api/apps.js';
import type { Conversation } from '../api/wire.js';
import { wordsFor } from '../api/errors.js';
import { Avatar } from '../kit/avatar.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { useChat } from './chat-context.js';
import { useMembers } from './members.js';
import styles from './details.module.css';

interface Heard {
  readonly app_id: string;
  readonly events: readonly string[];
}

/** The apps whose bot is a member, and the kinds of events each subscribes to. */
export function HearingApps({ room }: { room: Conversation }): ReactNode {
  const chat = useChat();
  const { ids } = useMembers(room.id);
  const apps = useApps();
  const subscriptions = useQuery({
    queryKey: ['subscriptions'],
    queryFn: () => everything<Heard>('/events/subscriptions', 'subscriptions'),
    retry: false,
  });
  if (apps.isPending) return <Skeleton />;
  if (apps.error) return <Empty title={wordsFor(apps.error)} />;
  const here = apps.data.filter((app) => app.bot_user_id !== null && ids.has(app.bot_user_id));
  if (here.length === 0)
    return (
      <Empty title="No apps in this channel">
        Add one under Members; it then receives the events that it subscribes to.
      </Empty>
    );
  return (
    <ul className={styles.apps} aria-label="Apps">
      {here.map((app) => {
        const kinds = (subscriptions.data ?? []).filter((one) => one.app_id === app.id).flatMap((one) => one.events);
        return (
          <li key={app.id} className={styles.app}>
            <Avatar name={app.name} seed={app.bot_user_id ?? app.id} size={28} isBot />
            <span className={styles.appWords}>
              <Link href={`/w/${chat.teamId}/apps/${app.id}`}>
                <bdi>{app.name}</bdi>
              </Link>
              <small>{kinds.length === 0 ? 'Not subscribed to any events' : [...new Set(kinds)].join(', ')}</small>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
