import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { MessagesSquare } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { conversations } from '../api/conversations.js';
import { directory, displayName, lookUp } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { loadUsergroups, lookUpGroup, usergroups } from '../api/usergroups.js';
import { useAsFirstScreen, useFirstScreen } from '../kit/first-screen.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';
import { useCurrentUser } from '../api/current-user.js';
import { useStore } from '../kit/store.js';
import type { Conversation as Room, Message } from '../api/wire.js';
import { Empty } from '../kit/misc.js';
import { basePath } from '../api/base.js';
import { Names, type NameBook } from '../text/names.js';
import { AgentPane } from './agent-pane.js';
import { Announcer } from './announcer.js';
import { ChatContext, type Chat, type OpenedEntity } from './chat-context.js';
import { Conversation, useRoom } from './conversation.js';
import { EntityPane } from './entity-pane.js';
import { DetailsPane } from './details-pane.js';
import { JsonDialog } from './json-dialog.js';
import { Modals } from './modals.js';
import { ProfilePane } from './profile-pane.js';
import { followScreen } from './screen.js';
import { nameOfConversation, Sidebar } from './sidebar.js';
import { ThreadPane } from './thread-pane.js';
import { useMembers } from './members.js';
import { dismissEphemeral } from './windows.js';
import styles from './pages.module.css';

type Side =
  | { kind: 'details' }
  | { kind: 'profile'; id: string }
  | { kind: 'agent'; appId: string }
  | { kind: 'entity'; opened: OpenedEntity }
  | null;

/** Converts a permalink of this server to a route of the app. */
export function ownPath(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname, search } = new URL(url);
  const base = basePath();
  if (origin !== window.location.origin || !pathname.startsWith(`${base}/archives/`)) return null;
  return pathname.slice(base.length) + search;
}

export function useChatValue(
  openProfile: (id: string) => void,
  showJson: (message: Message) => void,
  openEntity: (opened: OpenedEntity) => void,
): { chat: Chat; names: NameBook } {
  const who = useCurrentUser();
  const users = useStore(directory);
  const groups = useStore(usergroups);
  const rooms = useStore(conversations);
  const channelNames = useChannelNames(rooms);
  const [editing, setEditing] = useState<string | null>(null);
  const teamId = who.team.id;
  // a tab that acts as a person has that person's rights, not those of the signed-in one
  const played = users.get(who.id);
  const mayAdminister = who.persona ? played?.is_admin === true || played?.is_owner === true : who.isAdmin;
  const actions = useRef({ openProfile, showJson, openEntity });
  actions.current = { openProfile, showJson, openEntity };
  const chat = useMemo(
    (): Chat => ({
      teamId,
      meId: who.id,
      isAdmin: mayAdminister,
      mayInspect: who.isAdmin,
      hasAllMethods: who.methods === 'all',
      users,
      editing,
      edit: setEditing,
      openProfile: (id) => actions.current.openProfile(id),
      openEntity: (opened) => actions.current.openEntity(opened),
      channelPath: (channel, at) => `/w/${teamId}/c/${channel}${at === undefined ? '' : `?at=${at}`}`,
      threadPath: (channel, ts) => `/w/${teamId}/c/${channel}/t/${ts}`,
      inspectPath: (query) => `/w/${teamId}/inspect?${query}`,
      dismiss: dismissEphemeral,
      showJson: (message) => actions.current.showJson(message),
    }),
    [teamId, who.id, who.isAdmin, who.methods, mayAdminister, users, editing],
  );
  const names = useMemo(
    (): NameBook => ({
      meId: who.id,
      userName: (id) => {
        if (!users.has(id)) lookUp(id);
        return displayName(users.get(id));
      },
      channelName: (id) => channelNames.get(id),
      group: (id) => {
        lookUpGroup(id);
        return groups.get(id);
      },
      reloadGroups: loadUsergroups,
      openUser: (id) => actions.current.openProfile(id),
      channelPath: (id) => `/w/${teamId}/c/${id}`,
      ownPath,
    }),
    [who.id, users, groups, channelNames, teamId],
  );
  return { chat, names };
}

/** Keeps the same map unless a name changed: the list of conversations is a new one with every message. */
function useChannelNames(rooms: readonly Room[] | null): ReadonlyMap<string, string | undefined> {
  const before = useRef<ReadonlyMap<string, string | undefined>>(new Map());
  return useMemo(() => {
    const next = new Map((rooms ?? []).map((room) => [room.id, room.name]));
    const isSame =
      next.size === before.current.size && [...next].every(([id, name]) => before.current.get(id) === name);
    return isSame ? before.current : (before.current = next);
  }, [rooms]);
}

/** The chat: conversations on the left, one in the middle, a pane on the right. */
export function ChatPage(): ReactNode {
  const { channel, ts } = useParams<{ team: string; channel?: string; ts?: string }>();
  const [search] = useSearchParams();
  const at = search.get('at') ?? undefined;
  const navigate = useGo();
  const [side, setSide] = useState<Side>(null);
  const [json, setJson] = useState<Message | null>(null);
  const { chat, names } = useChatValue(
    (id) => setSide({ kind: 'profile', id }),
    setJson,
    (opened) => setSide({ kind: 'entity', opened }),
  );
  const list = useStore(conversations);
  // an agent stays open beside whatever is looked at, but for a thread, which has its place
  useEffect(() => setSide((before) => (before?.kind === 'agent' && ts === undefined ? before : null)), [channel, ts]);
  const hasScreen = useFirstScreen() && chat.hasAllMethods;
  useEffect(() => (hasScreen ? followScreen() : undefined), [hasScreen, chat.teamId, chat.meId]);
  useEffect(() => {
    if (channel !== undefined) writeLocal(`last:${chat.teamId}:${chat.meId}`, channel);
  }, [channel, chat.teamId, chat.meId]);
  const isList = list !== null && (list.length === 0 || !window.matchMedia('(min-width: 700px)').matches);
  useAsFirstScreen(channel === undefined && isList);
  // without a conversation in the address: the last one used, else #general; on a narrow screen the list itself
  useEffect(() => {
    if (channel !== undefined || list === null || !window.matchMedia('(min-width: 700px)').matches) return;
    const last = readLocal<string | null>(`last:${chat.teamId}:${chat.meId}`, null);
    const first = list.find((one) => one.id === last) ?? list.find((one) => one.is_general) ?? list[0];
    if (first) navigate(chat.channelPath(first.id), { replace: true });
  }, [channel, list, chat, navigate]);
  return (
    <ChatContext.Provider value={chat}>
      <Names.Provider value={names}>
        <div className={styles.chat} data-open={channel !== undefined}>
          <div className={styles.side}>
            <Sidebar current={channel} />
          </div>
          {channel === undefined ? (
            <main id="main" className={styles.nowhere}>
              <h1 className="visually-hidden">Chat</h1>
              {list?.length === 0 && (
                <Empty title="No channels yet" icon={<MessagesSquare size={22} />}>
                  Create one, or let your app call conversations.create.
                </Empty>
              )}
            </main>
          ) : (
            <MiddlePart
              key={chat.meId}
              channel={channel}
              thread={ts}
              at={at}
              side={side}
              setSide={setSide}
              chat={chat}
              navigate={navigate}
            />
          )}
          {side?.kind === 'agent' && channel !== undefined && (
            <AgentPane
              key={`${chat.meId}:${side.appId}`}
              appId={side.appId}
              beside={channel}
              onClose={() => setSide(null)}
            />
          )}
          {side?.kind === 'entity' && (
            <EntityPane
              key={`${chat.meId}:${side.opened.ts}:${side.opened.entity.external_ref.id}`}
              opened={side.opened}
              onClose={() => setSide(null)}
            />
          )}
          {side?.kind === 'profile' && <ProfilePane id={side.id} onClose={() => setSide(null)} />}
        </div>
        {json && <JsonDialog message={json} onClose={() => setJson(null)} />}
        {chat.hasAllMethods && <Modals key={chat.meId} />}
        <Announcer channel={channel} />
      </Names.Provider>
    </ChatContext.Provider>
  );
}

interface MiddleProps {
  readonly channel: string;
  readonly thread: string | undefined;
  readonly at: string | undefined;
  readonly side: Side;
  readonly setSide: (side: Side) => void;
  readonly chat: Chat;
  readonly navigate: (to: string) => void;
}

function MiddlePart({ channel, thread, at, side, setSide, chat, navigate }: MiddleProps): ReactNode {
  const { room, error } = useRoom(channel);
  const members = useMembers(channel);
  if (!room) {
    return (
      <main id="main" className={styles.nowhere}>
        <h1 className="visually-hidden">Conversation</h1>
        {error !== null && <Empty title={wordsFor(error)} icon={<MessagesSquare size={22} />} />}
      </main>
    );
  }
  const name = nameOfConversation(room, chat.users, chat.meId);
  const shown = room.is_im || room.is_mpim ? name : `#${name}`;
  const toggle = (): void => setSide(side?.kind === 'details' ? null : { kind: 'details' });
  return (
    <>
      <main id="main" className={styles.conversation}>
        <Conversation
          id={channel}
          room={room}
          at={thread === undefined ? at : undefined}
          onDetails={toggle}
          detailsOpen={side?.kind === 'details'}
          onAsk={(appId) => setSide({ kind: 'agent', appId })}
        />
      </main>
      {side?.kind === 'details' && <DetailsPane key={channel} room={room} name={shown} onClose={() => setSide(null)} />}
      {side === null && thread !== undefined && (
        <ThreadPane
          key={`${channel}:${thread}`}
          channel={channel}
          channelName={shown}
          ts={thread}
          at={at}
          members={members.ids}
          canPost={!room.is_archived && room.is_member !== false}
          onClose={() => navigate(chat.channelPath(channel))}
        />
      )}
    </>
  );
}
