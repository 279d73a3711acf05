import { useEffect, useMemo, type ReactNode } from 'react';
import { Archive, ArrowLeft, Hash, Info, Lock, Users } from 'lucide-react';
import { Link } from '../kit/link.js';
import { useQueryClient } from '@tanstack/react-query';
import { agentViewOf, useApps } from '../api/apps.js';
import { call } from '../api/client.js';
import { conversations, findConversation, loadConversations, markRead, visit, visited } from '../api/conversations.js';
import { displayName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { listenTo } from '../api/realtime.js';
import { useStore } from '../kit/store.js';
import type { Conversation as Room } from '../api/wire.js';
import { Avatar } from '../kit/avatar.js';
import { Button, IconButton } from '../kit/button.js';
import { Badge, CodeBlock, Empty } from '../kit/misc.js';
import { useKeyedState } from '../kit/use-keyed-state.js';
import { say } from '../kit/toasts.js';
import { Mrkdwn } from '../text/mrkdwn-view.js';
import { fullDate } from '../text/time.js';
import { AskAgent, useAgentOpened } from './agent-pane.js';
import { AssistantLine } from './assistant-line.js';
import { BookmarksBar } from './bookmarks-bar.js';
import { useChat } from './chat-context.js';
import { ChatsTab } from './chats-tab.js';
import { Composer } from './composer.js';
import { MountedLists } from './mounted-lists.js';
import { HomeTab } from './home-tab.js';
import { useMembers } from './members.js';
import { refreshScreen } from './screen.js';
import { nameOfConversation } from './sidebar.js';
import { channelWindow } from './windows.js';
import styles from './pages.module.css';

/** Loads a conversation by its id; an error when it cannot be seen. */
export function useRoom(id: string): { room: Room | undefined; error: unknown } {
  const list = useStore(conversations);
  useStore(visited);
  const [error, setError] = useKeyedState<unknown>(id, () => null);
  const room = findConversation(id);
  const isKnown = room !== undefined;
  useEffect(() => {
    if (list !== null && !isKnown) visit(id).catch(setError);
  }, [id, list !== null, isKnown, setError]);
  return { room, error };
}

interface ConversationProps {
  readonly id: string;
  readonly room: Room;
  readonly at?: string | undefined;
  readonly onDetails: () => void;
  readonly detailsOpen: boolean;
  readonly onAsk: (appId: string) => void;
}

/** The open conversation. Its components stay mounted when another one is opened; only their data changes. */
export function Conversation({ id, room, at, onDetails, detailsOpen, onAsk }: ConversationProps): ReactNode {
  const chat = useChat();
  const window = useMemo(() => channelWindow(id), [id, chat.meId]);
  const members = useMembers(id);
  const [tab, setTab] = useKeyedState<'messages' | 'home' | 'chats'>(id, () => 'messages');
  const name = nameOfConversation(room, chat.users, chat.meId);
  const shownName = room.is_im || room.is_mpim ? name : `#${name}`;
  const other = room.is_im ? chat.users.get(room.user ?? '') : undefined;
  const isMember = room.is_im === true || room.is_mpim === true || room.is_member !== false;
  useEffect(() => {
    const { isLoaded, messages } = window.get();
    if (at !== undefined && !messages.some((message) => message.ts === at)) void window.loadAround(at);
    else if (!isLoaded) void window.loadNewest();
  }, [window, at]);
  useEffect(() => (isMember ? undefined : listenTo(id)), [id, isMember]);
  const { data: apps } = useApps();
  const appId = other?.is_bot === true ? other.profile.api_app_id : undefined;
  const view = agentViewOf(apps?.find((app) => app.id === appId));
  useAgentOpened(view === 'agent' && tab === 'messages' ? appId : undefined);
  // the prompts of a manifest are on the screen once there is a direct message, of which nothing tells
  const hasPrompts = view === 'agent' || view === 'assistant';
  useEffect(() => void (hasPrompts && refreshScreen()), [id, hasPrompts]);
  const hasHome = chat.hasAllMethods && other?.is_bot === true && other.profile.api_app_id !== undefined;
  return (
    <section className={styles.conversation} aria-label={shownName}>
      <header className={styles.head}>
        <Link href={`/w/${chat.teamId}`} className={styles.back} aria-label="All conversations">
          <ArrowLeft size={18} />
        </Link>
        <h1 className={styles.title}>
          {room.is_im ? (
            <Avatar name={name} seed={room.user} size={24} isBot={other?.is_bot} />
          ) : room.is_mpim ? (
            <Users size={17} aria-hidden />
          ) : room.is_private ? (
            <Lock size={16} aria-hidden />
          ) : (
            <Hash size={17} aria-hidden />
          )}
          <bdi className={styles.titleName}>{name}</bdi>
          {other?.is_bot && <Badge>APP</Badge>}
          {room.is_archived && <Badge tone="warn">archived</Badge>}
        </h1>
        {room.topic?.value ? (
          <p className={styles.topic}>
            <Mrkdwn text={room.topic.value} inline />
          </p>
        ) : (
          <span className={styles.topic} />
        )}
        {!room.is_im && (
          <Button kind="quiet" size="small" icon={<Users size={14} />} onPress={onDetails}>
            {room.num_members ?? members.data?.length ?? ''}
          </Button>
        )}
        {!room.is_im && chat.hasAllMethods && <AskAgent onAsk={onAsk} />}
        <IconButton label="Details" pressed={detailsOpen} onPress={onDetails}>
          <Info size={17} />
        </IconButton>
      </header>
      {chat.hasAllMethods && <BookmarksBar key={id} channel={id} />}
      {hasHome && (
        <div role="tablist" aria-label="App" className={styles.tabs}>
          {TABS.filter(([each]) => each !== 'chats' || view !== null).map(([each, title]) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              className={styles.tab}
              onClick={() => setTab(each)}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      {tab === 'home' && hasHome ? (
        <HomeTab appId={other.profile.api_app_id as string} />
      ) : tab === 'chats' && hasHome ? (
        <ChatsTab channel={id} appId={other.profile.api_app_id as string} canBegin={view !== 'agent'} />
      ) : (
        <>
          <MountedLists
            window={window}
            channel={id}
            at={at}
            onSeen={markRead}
            introOf={introOf}
            empty={<NothingYet name={shownName} channel={room.is_channel ? `#${name}` : id} />}
          />
          <Foot room={room} name={shownName} isMember={isMember} members={members.ids} />
        </>
      )}
    </section>
  );
}

const TABS = [
  ['messages', 'Messages'],
  ['home', 'Home'],
  ['chats', 'Chats'],
] as const;

const introOf = (id: string): ReactNode => <Introduction id={id} />;

/** What a conversation is, above its first message. */
function Introduction({ id }: { id: string }): ReactNode {
  const chat = useChat();
  const { room } = useRoom(id);
  if (!room) return null;
  const own = nameOfConversation(room, chat.users, chat.meId);
  const name = room.is_im || room.is_mpim ? own : `#${own}`;
  if (room.is_im || room.is_mpim) {
    return <p className={styles.intro}>This is the beginning of your direct messages with {name}.</p>;
  }
  const creator = displayName(chat.users.get(room.creator ?? ''));
  return (
    <div className={styles.intro}>
      <p className={styles.introTitle}>{name}</p>
      <p>
        {creator !== undefined && room.created !== undefined
          ? `${creator} created this channel on ${fullDate(new Date(room.created * 1000))}. This is its beginning.`
          : 'This is the beginning of the channel.'}
      </p>
      {room.purpose?.value && (
        <p>
          <Mrkdwn text={room.purpose.value} inline />
        </p>
      )}
    </div>
  );
}

function NothingYet({ name, channel }: { name: string; channel: string }): ReactNode {
  const curl = `curl -sS ${location.origin}/api/chat.postMessage \\\n  -H "Authorization: Bearer $BOT_TOKEN" \\\n  --data-urlencode 'channel=${channel}' \\\n  --data-urlencode 'text=Hello'`;
  return (
    <Empty title={`This is the beginning of ${name}`} icon={<Hash size={22} />}>
      <p>Write the first message, or let your app post one:</p>
      <CodeBlock label="curl command" text={curl} />
    </Empty>
  );
}

/** The composer, or the reason why there is none. */
function Foot({
  room,
  name,
  isMember,
  members,
}: {
  room: Room;
  name: string;
  isMember: boolean;
  members: ReadonlySet<string>;
}): ReactNode {
  const client = useQueryClient();
  const join = (): void =>
    void call('conversations.join', { channel: room.id }).then(
      async () => {
        await loadConversations();
        await client.invalidateQueries({ queryKey: ['members', room.id] });
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  if (room.is_archived) {
    return (
      <div className={styles.instead}>
        <Archive size={16} aria-hidden />
        {name} is archived and read-only.
      </div>
    );
  }
  if (!isMember) {
    return (
      <div className={styles.instead}>
        You are viewing {name} without being a member.
        <Button kind="primary" size="small" onPress={join}>
          Join
        </Button>
      </div>
    );
  }
  return (
    <>
      <AssistantLine channel={room.id} />
      <Composer channel={room.id} label={`Message ${name}`} members={members} autoFocus />
    </>
  );
}
