import { useEffect, type ReactNode } from 'react';
import { Boxes, ListTodo, MessagesSquare, Radar, Server, Settings } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Link } from '../kit/link.js';
import { conversations, findConversation, followConversations } from '../api/conversations.js';
import { directory, displayName, followDirectory } from '../api/directory.js';
import { stopActing } from '../api/persona.js';
import { connect, onEvent } from '../api/realtime.js';
import { followUsergroups } from '../api/usergroups.js';
import { useAsFirstScreen } from '../kit/first-screen.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { followMessages } from '../chat/windows.js';
import { Button } from '../kit/button.js';
import { say } from '../kit/toasts.js';
import { ConnectionBanner } from './connection-banner.js';
import { Header } from './header.js';
import { useKeys } from './keys.js';
import { enterWorkspace, leaveWorkspace, loadWorkspace } from './workspace.js';
import styles from './shell.module.css';

interface Section {
  readonly name: string;
  readonly path: string;
  readonly match: RegExp;
  readonly icon: ReactNode;
}

const sectionsOf = (team: string, isAdmin: boolean): Section[] => [
  { name: 'Chat', path: `/w/${team}`, match: /^\/w\/[^/]+(\/(c|search)(\/.*)?)?$/, icon: <MessagesSquare size={18} /> },
  {
    name: 'Tracker',
    path: `/w/${team}/t`,
    match: /^\/w\/[^/]+\/(t|t-hooks|projects|cycles|inbox)(\/|$)/,
    icon: <ListTodo size={18} />,
  },
  {
    name: 'Inspector',
    path: `/w/${team}/inspect`,
    match: /^\/w\/[^/]+\/(inspect|deliveries|changes|faults|limits|clock)/,
    icon: <Radar size={18} />,
  },
  { name: 'Apps', path: `/w/${team}/apps`, match: /^\/w\/[^/]+\/apps/, icon: <Boxes size={18} /> },
  { name: 'Settings', path: `/w/${team}/settings`, match: /^\/w\/[^/]+\/settings/, icon: <Settings size={18} /> },
  ...(isAdmin ? [{ name: 'Sandboxes', path: '/sandboxes', match: /^\/sandboxes/, icon: <Server size={18} /> }] : []),
];

/** The frame around every section: header, section rail, and the bar while acting as another person. */
export function Shell({ children }: { children: ReactNode }): ReactNode {
  const who = useCurrentUser();
  const [location] = useLocation();
  useWorkspace(who.id, who.team.id);
  useKeys();
  const sections = sectionsOf(who.team.id, who.isAdmin);
  const inConversation = /\/c\//.test(location);
  useAsFirstScreen(!/^\/w\/[^/]+(\/c\/.*)?$/.test(location));
  return (
    <div className={styles.shell} data-inner={inConversation}>
      <a
        href="#main"
        className={styles.skip}
        onClick={(event) => {
          event.preventDefault();
          const main = document.getElementById('main');
          main?.setAttribute('tabindex', '-1');
          main?.focus();
        }}
      >
        Skip to the content
      </a>
      <Title location={location} />
      <Header />
      {who.persona && (
        <div className={styles.acting} role="status">
          <span>
            You are acting as <strong>{who.persona.realName}</strong> (signed in as {who.session.user.name})
          </span>
          <Button size="small" onPress={stopActing}>
            Stop
          </Button>
        </div>
      )}
      <ConnectionBanner />
      <div className={styles.below}>
        <nav aria-label="Sections" className={styles.rail}>
          {sections.map((section) => {
            const isCurrent = section.match.test(location);
            return (
              <Link
                key={section.name}
                href={section.path}
                className={`${styles.section} ${isCurrent ? styles.current : ''}`}
                aria-current={isCurrent ? 'page' : undefined}
              >
                {section.icon}
                <span>{section.name}</span>
              </Link>
            );
          })}
        </nav>
        {children}
      </div>
    </div>
  );
}

/** Connects as the person this tab acts as, and loads the workspace's data. */
function useWorkspace(meId: string, teamId: string): void {
  const client = useQueryClient();
  enterWorkspace(client, teamId, meId);
  useEffect(() => {
    const stops = [connect(), followDirectory(), followUsergroups(), followConversations(), followMessages()];
    stops.push(
      onEvent((event) => {
        if (event.type.startsWith('member_'))
          void client.invalidateQueries({ queryKey: ['members', String(event['channel'])] });
        if (event.type !== 'sandbox_reset') return;
        void client.invalidateQueries();
        say('The sandbox was reset to an earlier state.');
      }),
    );
    void loadWorkspace();
    return () => {
      stops.forEach((stop) => stop());
      leaveWorkspace(teamId, meId);
    };
  }, [teamId, meId, client]);
}

/**
 * The title, "(3) #general · Acme · Understudy". A component of its own, so that a new message renders nothing else.
 */
function Title({ location }: { location: string }): null {
  const who = useCurrentUser();
  const list = useStore(conversations);
  const users = useStore(directory);
  const channel = /\/c\/([^/?]+)/.exec(location)?.[1];
  const room = channel === undefined ? undefined : findConversation(channel);
  const unread = (list ?? []).reduce((sum, one) => sum + (one.is_im || one.is_mpim ? one.unread : one.mentions), 0);
  const [, section, , issue] = /^\/w\/[^/]+\/(\w+)(\/[^/]+\/([^/]+))?/.exec(location) ?? [];
  const place = room
    ? room.is_im
      ? displayName(users.get(room.user ?? ''))
      : room.is_mpim
        ? 'Group'
        : `#${room.name}`
    : location.startsWith('/sandboxes')
      ? 'Sandboxes'
      : section && section !== 'c'
        ? section === 't'
          ? (issue ?? 'Tracker')
          : section[0]?.toUpperCase() + section.slice(1)
        : undefined;
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${[place, who.team.name, 'Understudy'].filter(Boolean).join(' · ')}`;
  }, [unread, place, who.team.name]);
  return null;
}
