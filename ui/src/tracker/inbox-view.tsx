import { useState, type ReactNode } from 'react';
import { Archive, Clock, Mail, MailOpen } from 'lucide-react';
import { useCurrentUser } from '../api/current-user.js';
import { useClock } from '../api/sandbox.js';
import { Avatar } from '../kit/avatar.js';
import { Button, IconButton } from '../kit/button.js';
import { Link } from '../kit/link.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { ago } from '../text/time.js';
import { useFacts, type Facts } from './facts.js';
import { useLookAgain, useTracker } from './live.js';
import { stepRow, useScreenKeys } from './screen-keys.js';
import { ask, type Nodes } from './tracker-api.js';
import { complain, refusal } from './words.js';
import styles from './tracker.module.css';
import own from './inbox.module.css';

interface Notification {
  id: string;
  title: string;
  subtitle: string;
  readAt: string | null;
  createdAt: string;
  actor: { id: string } | null;
  issue?: { identifier: string; team: { key: string } };
  project?: { slugId: string };
}

const INBOX = `query { inboxNotifications(first: 50) { nodes { id title subtitle readAt createdAt actor { id }
  ... on IssueNotification { issue { identifier team { key } } } ... on ProjectNotification { project { slugId } } } } }`;

const HOUR_MS = 3_600_000;
const SNOOZES: readonly (readonly [words: string, ms: number])[] = [
  ['For an hour', HOUR_MS],
  ['For a day', 24 * HOUR_MS],
  ['For a week', 7 * 24 * HOUR_MS],
];

const CHANGE = `mutation ($id: String!, $input: InboxNotificationUpdateInput!) {
  inboxNotificationUpdate(id: $id, input: $input) { success } }`;
const ARCHIVE = `mutation ($input: NotificationEntityInput!) { notificationArchiveAll(input: $input) { success } }`;

const UNREAD = `query { inboxNotifications(first: 50, unreadOnly: true) { nodes { id } } }`;

/** How many lines of the inbox are not read yet. */
export const useUnread = (): number =>
  useTracker('inbox', ['unread'], () => ask<{ inboxNotifications: Nodes<{ id: string }> }>(UNREAD)).data
    ?.inboxNotifications.nodes.length ?? 0;

/** What this person was told, a line a thing, what is unread first. */
export function InboxView(): ReactNode {
  const facts = useFacts();
  const [isUnreadOnly, setUnreadOnly] = useState(false);
  const found = useTracker('inbox', [], () => ask<{ inboxNotifications: Nodes<Notification> }>(INBOX));
  useScreenKeys({
    j: () => stepRow(1),
    k: () => stepRow(-1),
    ArrowDown: () => stepRow(1),
    ArrowUp: () => stepRow(-1),
  });
  const all = found.data?.inboxNotifications.nodes ?? [];
  const unread = all.filter(({ readAt }) => readAt === null);
  const shown = isUnreadOnly ? unread : [...unread, ...all.filter(({ readAt }) => readAt !== null)];
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>
          Inbox <span className={styles.count}>{unread.length > 0 && `${unread.length} unread`}</span>
        </h1>
        <Button aria-pressed={isUnreadOnly} onPress={() => setUnreadOnly(!isUnreadOnly)}>
          {isUnreadOnly ? 'Show all' : 'Show unread'}
        </Button>
      </header>
      <div className={styles.body}>
        {found.error && <Empty title={refusal(found.error)} />}
        {found.isPending && <Skeleton />}
        {found.data && shown.length === 0 && (
          <Empty title={isUnreadOnly && all.length > 0 ? 'Everything is read.' : 'Nothing here.'}>
            Mentions, assignments, comments on what you follow and the like come here.
          </Empty>
        )}
        {shown.length > 0 && (
          <ul className={own.list} aria-label="Notifications">
            {shown.map((one) => (
              <Row key={one.id} notification={one} facts={facts} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function Row({ notification, facts }: { notification: Notification; facts: Facts | undefined }): ReactNode {
  const { team } = useCurrentUser();
  const lookAgain = useLookAgain();
  const { id, title, subtitle, readAt, issue, project } = notification;
  const actor = facts?.people.get(notification.actor?.id ?? '');
  const isUnread = readAt === null;
  // snoozes end by the sandbox's clock, which admins can look at
  const clock = useClock().data;
  const change = (input: object): void => void ask(CHANGE, { id, input }).then(lookAgain, complain);
  const at = `/w/${team.id}`;
  const href = issue
    ? `${at}/t/${issue.team.key}/${issue.identifier}`
    : project
      ? `${at}/projects/${project.slugId}`
      : `${at}/inbox`;
  return (
    <li
      className={own.row}
      data-row={id}
      data-unread={isUnread}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
        event.preventDefault();
        event.currentTarget.querySelector('a')?.click();
      }}
    >
      <Avatar name={actor?.name ?? '·'} seed={actor?.id ?? id} size={24} isBot={actor?.app} />
      <span className={own.words} onClickCapture={() => isUnread && change({ read: true })}>
        <Link href={href} className={own.title}>
          {isUnread && <span className="visually-hidden">Unread: </span>}
          {issue && <span className={own.identifier}>{issue.identifier} </span>}
          {title}
        </Link>
        <span className={own.subtitle}>{subtitle}</span>
      </span>
      <span className={own.when}>{ago(new Date(notification.createdAt))}</span>
      <IconButton
        label={isUnread ? `Mark ${title} as read` : `Mark ${title} as unread`}
        hint={isUnread ? 'Mark as read' : 'Mark as unread'}
        size="small"
        onPress={() => change({ read: isUnread })}
      >
        {isUnread ? <MailOpen size={14} /> : <Mail size={14} />}
      </IconButton>
      <Menu
        label={`Snooze ${title}`}
        trigger={
          <IconButton label={`Snooze ${title}`} hint="Snooze" size="small">
            <Clock size={14} />
          </IconButton>
        }
      >
        {SNOOZES.map(([words, ms]) => (
          <MenuItem
            key={words}
            onAction={() => change({ snoozedUntilAt: new Date((clock ? Date.parse(clock.now) : Date.now()) + ms) })}
          >
            {words}
          </MenuItem>
        ))}
      </Menu>
      <IconButton
        label={`Archive ${title}`}
        hint="Archive"
        size="small"
        onPress={() => void ask(ARCHIVE, { input: { id } }).then(lookAgain, complain)}
      >
        <Archive size={14} />
      </IconButton>
    </li>
  );
}
