import { memo, useState, type ReactNode } from 'react';
import { ChevronDown, ChevronRight, Hash, Lock, MessageCircleDashed, Plus, Search, Users } from 'lucide-react';
import { Link, useGo } from '../kit/link.js';
import { call } from '../api/client.js';
import { conversations, loadConversations } from '../api/conversations.js';
import { wordsFor } from '../api/errors.js';
import { displayName, lookUp } from '../api/directory.js';
import { readLocal, writeLocal } from '../kit/local-storage.js';
import { useStore } from '../kit/store.js';
import { say } from '../kit/toasts.js';
import type { SidebarConversation, User } from '../api/wire.js';
import { Avatar } from '../kit/avatar.js';
import { IconButton } from '../kit/button.js';
import { Skeleton } from '../kit/misc.js';
import { ResizeHandle } from '../kit/resize-handle.js';
import { EmojiMark } from '../text/mrkdwn-view.js';
import { BrowseChannels } from './browse-channels.js';
import { useChat } from './chat-context.js';
import { CreateChannel } from './create-channel.js';
import { NewMessage } from './new-message.js';
import styles from './sidebar.module.css';

/** A conversation's name as the current person sees it. */
export function nameOfConversation(
  one: { id: string; name?: string; is_im?: boolean; is_mpim?: boolean; user?: string; purpose?: { value: string } },
  users: ReadonlyMap<string, User>,
  meId: string,
): string {
  if (one.is_im) {
    const user = users.get(one.user ?? '');
    if (one.user !== undefined && !user) lookUp(one.user);
    return displayName(user) ?? one.user ?? one.id;
  }
  if (!one.is_mpim) return one.name ?? one.id;
  const handles = (one.name ?? '')
    .replace(/^mpdm-/, '')
    .replace(/-\d+$/, '')
    .split('--');
  const byHandle = new Map([...users.values()].map((user) => [user.name, user]));
  const names = handles
    .filter((handle) => byHandle.get(handle)?.id !== meId)
    .map((handle) => displayName(byHandle.get(handle)) ?? handle);
  return names.join(', ');
}

/** The most apps without a direct message that the list shows. */
const MOST_APPS = 50;

/** Opens the direct message with an app's bot, which is made when it is missing. */
async function openApp(userId: string, go: (channel: string) => void): Promise<void> {
  try {
    const { channel } = await call<{ channel: { id: string } }>('conversations.open', { users: userId });
    await loadConversations();
    go(channel.id);
  } catch (error) {
    say(wordsFor(error), { tone: 'bad' });
  }
}

/** The conversations of the person this tab acts as. */
export function Sidebar({ current }: { current: string | undefined }): ReactNode {
  const chat = useChat();
  const list = useStore(conversations);
  const [open, setOpen] = useState<'create' | 'message' | 'browse' | null>(null);
  const navigate = useGo();
  const go = (channel: string): void => {
    setOpen(null);
    navigate(chat.channelPath(channel));
  };
  const isApp = (one: SidebarConversation): boolean =>
    one.is_im === true && chat.users.get(one.user ?? '')?.is_bot === true;
  const direct = (list ?? [])
    .filter((one) => one.is_im || one.is_mpim)
    .sort((a, b) => (b.latest_ts ?? '').localeCompare(a.latest_ts ?? ''));
  const channels = (list ?? []).filter((one) => !one.is_im && !one.is_mpim);
  const people = direct.filter((one) => !isApp(one));
  const apps = direct.filter(isApp);
  const known = new Set(apps.map((one) => one.user));
  const others = [...chat.users.values()].filter((user) => user.is_bot && !user.deleted && !known.has(user.id));
  const row = (one: SidebarConversation): ReactNode => <Row key={one.id} one={one} isCurrent={one.id === current} />;
  return (
    <nav aria-label="Conversations" className={styles.frame}>
      <div className={styles.sidebar}>
        {list === null && <Skeleton rows={10} />}
        {list !== null && (
          <>
            <Group title="Channels" action="Create channel" onAdd={() => setOpen('create')}>
              {channels.map(row)}
              {channels.length === 0 && (
                <p className={styles.empty}>No channels yet. Create one, or let your app call conversations.create.</p>
              )}
              <li>
                <button type="button" className={styles.more} onClick={() => setOpen('browse')}>
                  <Search size={14} aria-hidden />
                  Browse channels
                </button>
              </li>
            </Group>
            <Group title="Direct messages" action="New message" onAdd={() => setOpen('message')}>
              {people.map(row)}
              <li>
                <button type="button" className={styles.more} onClick={() => setOpen('message')}>
                  <MessageCircleDashed size={14} aria-hidden />
                  Message someone
                </button>
              </li>
            </Group>
            {apps.length + others.length > 0 && (
              <Group title="Apps">
                {apps.map(row)}
                {others.slice(0, MOST_APPS).map((user) => (
                  <li key={user.id}>
                    <button type="button" className={styles.row} onClick={() => void openApp(user.id, go)}>
                      <span className={styles.icon}>
                        <Avatar name={displayName(user) ?? user.id} seed={user.id} size={20} isBot />
                      </span>
                      <span className={styles.name}>
                        <bdi>{displayName(user)}</bdi>
                      </span>
                    </button>
                  </li>
                ))}
              </Group>
            )}
          </>
        )}
      </div>
      <ResizeHandle name="conversations" storageKey="side" side="right" usual={240} least={180} most={400} />
      {open === 'create' && <CreateChannel onClose={() => setOpen(null)} onMade={go} />}
      {open === 'message' && <NewMessage onClose={() => setOpen(null)} onOpened={go} />}
      {open === 'browse' && <BrowseChannels onClose={() => setOpen(null)} onChosen={go} />}
    </nav>
  );
}

function Group({
  title,
  action,
  onAdd,
  children,
}: {
  title: string;
  action?: string;
  onAdd?: () => void;
  children: ReactNode;
}): ReactNode {
  const key = `collapsed:${title}`;
  const [isCollapsed, setCollapsed] = useState(() => readLocal(key, false));
  const Arrow = isCollapsed ? ChevronRight : ChevronDown;
  const toggle = (): void => {
    writeLocal(key, !isCollapsed);
    setCollapsed(!isCollapsed);
  };
  return (
    <section className={styles.group} aria-label={title}>
      <header className={styles.groupHead}>
        <h2 className={styles.groupTitle}>
          <button type="button" className={styles.collapse} aria-expanded={!isCollapsed} onClick={toggle}>
            <Arrow size={13} aria-hidden />
            {title}
          </button>
        </h2>
        {onAdd && action !== undefined && (
          <IconButton label={action} size="small" onPress={onAdd}>
            <Plus size={15} />
          </IconButton>
        )}
      </header>
      {/* collapsed, it still shows what is unread and what is open */}
      <ul className={`${styles.list} ${isCollapsed ? styles.collapsed : ''}`}>{children}</ul>
    </section>
  );
}

const Row = memo(function Row({ one, isCurrent }: { one: SidebarConversation; isCurrent: boolean }): ReactNode {
  const chat = useChat();
  const user = one.is_im ? chat.users.get(one.user ?? '') : undefined;
  const name = nameOfConversation(one, chat.users, chat.meId);
  const badge = one.is_im || one.is_mpim ? one.unread : one.mentions;
  const unread = one.unread > 0 && !isCurrent;
  return (
    <li>
      <Link
        href={chat.channelPath(one.id)}
        className={`${styles.row} ${isCurrent ? styles.current : ''} ${unread ? styles.unread : ''}`}
        aria-current={isCurrent ? 'page' : undefined}
        data-conversation={one.id}
        data-unread={unread}
      >
        <span className={styles.icon}>
          {one.is_im ? (
            <span className={styles.person}>
              <Avatar name={name} seed={one.user} size={20} isBot={user?.is_bot} />
              {!user?.is_bot && <span className={user?.presence === 'away' ? styles.away : styles.active} />}
            </span>
          ) : one.is_mpim ? (
            <Users size={15} aria-hidden />
          ) : one.is_private ? (
            <Lock size={14} aria-hidden />
          ) : (
            <Hash size={15} aria-hidden />
          )}
        </span>
        <span className={styles.name}>
          <bdi>{name}</bdi>
          {one.is_im && one.user === chat.meId && <span className={styles.you}> (you)</span>}
        </span>
        {user?.profile.status_emoji && <EmojiMark name={user.profile.status_emoji.replace(/^:|:$/g, '')} />}
        {badge > 0 && !isCurrent && <span className={styles.badge}>{badge >= 100 ? '99+' : badge}</span>}
        {unread && <span className="visually-hidden">{one.unread} unread</span>}
        {user && !user.is_bot && (
          <span className="visually-hidden">{user.presence === 'away' ? 'away' : 'active'}</span>
        )}
      </Link>
    </li>
  );
});
