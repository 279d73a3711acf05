import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Sparkles } from 'lucide-react';
import { agentTextsOf, agentViewOf, useApps } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { IconButton } from '../kit/button.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Skeleton } from '../kit/misc.js';
import { Pane } from '../kit/pane.js';
import { AssistantLine } from './assistant-line.js';
import { beginChat } from './chats-tab.js';
import { Composer } from './composer.js';
import { MessageList } from './message-list.js';
import { refreshScreen } from './screen.js';
import { channelWindow, threadWindow } from './windows.js';
import styles from './pages.module.css';

const act = <T,>(verb: string, body: object): Promise<{ result: T }> =>
  rest<{ result: T }>(`POST /act/${verb}`, { as: 'persona', body: { ...body, until: 'none' } });

/** Tells an agent that its messages were opened, each time that they are. */
export function useAgentOpened(appId: string | undefined): void {
  useEffect(() => {
    if (appId !== undefined) void act('home', { app_id: appId, tab: 'messages' }).catch(() => undefined);
  }, [appId]);
}

/** Opens an agent or assistant beside the conversation; not there when no app of the workspace says that it is one. */
export function AskAgent({ onAsk }: { onAsk: (appId: string) => void }): ReactNode {
  const { data = [] } = useApps();
  const agents = data.filter((app) => app.installed && ['agent', 'assistant'].includes(agentViewOf(app) ?? ''));
  if (agents.length === 0) return null;
  return (
    <Menu
      label="Agents"
      trigger={
        <IconButton label="Ask an agent">
          <Sparkles size={17} />
        </IconButton>
      }
    >
      {agents.map(({ id, name }) => (
        <MenuItem key={id} onAction={() => onAsk(id)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface AgentPaneProps {
  readonly appId: string;
  /** The conversation that is looked at meanwhile. */
  readonly beside: string;
  readonly onClose: () => void;
}

/** Where the talk with an agent is: the direct message, or with an assistant a new thread of it. */
interface Talk {
  readonly channel: string;
  readonly thread?: string;
}

/** An agent or assistant beside a conversation: it is told what is looked at, also when that changes. */
export function AgentPane({ appId, beside, onClose }: AgentPaneProps): ReactNode {
  const { data: apps } = useApps();
  const app = apps?.find((one) => one.id === appId);
  const isAssistant = agentViewOf(app) === 'assistant';
  const [talk, setTalk] = useState<Talk | null>(null);
  const [told, setTold] = useState(beside);
  const [error, setError] = useState<unknown>(null);
  const isKnown = app !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    let isOver = false;
    const begin = async (): Promise<Talk> => {
      const opened = await act<{ channel: string }>('home', { app_id: appId, tab: 'messages', context: beside });
      const { channel } = opened.result;
      return isAssistant ? { channel, thread: await beginChat(appId, beside) } : { channel };
    };
    begin().then(
      (begun) => {
        // with the direct message its prompts are there
        void refreshScreen();
        if (!isOver) setTalk(begun);
      },
      (failure: unknown) => !isOver && setError(failure),
    );
    return () => {
      isOver = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a change of what is looked at is told below
  }, [appId, isKnown, isAssistant]);
  const thread = talk?.thread;
  const isOpen = talk !== null;
  useEffect(() => {
    if (!isOpen || told === beside) return;
    setTold(beside);
    const body = { app_id: appId, context: beside, ...(thread === undefined ? {} : { thread_ts: thread }) };
    void act('context', body).catch(setError);
  }, [appId, beside, told, isOpen, thread]);
  return (
    <Pane name="Agent" title={app?.name ?? 'Agent'} note={agentTextsOf(app).description} onClose={onClose}>
      {error !== null && <p className={styles.paneError}>{wordsFor(error)}</p>}
      {talk === null && error === null && <Skeleton />}
      {talk && <AgentTalk key={`${talk.channel}:${talk.thread ?? ''}`} {...talk} />}
    </Pane>
  );
}

const NOBODY: ReadonlySet<string> = new Set();

function AgentTalk({ channel, thread }: Talk): ReactNode {
  const window = useMemo(
    () => (thread === undefined ? channelWindow(channel) : threadWindow(channel, thread)),
    [channel, thread],
  );
  const state = useStore(window);
  useEffect(() => {
    if (!window.get().isLoaded) void window.loadNewest();
  }, [window]);
  const session = state.messages.find((message) => message.ts === thread)?.agent_session;
  const inThread = thread === undefined ? {} : { thread };
  return (
    <>
      <MessageList window={window} channel={channel} inThread={thread !== undefined} />
      <AssistantLine channel={channel} {...inThread} session={session} />
      <Composer channel={channel} {...inThread} label="Ask…" members={NOBODY} autoFocus />
    </>
  );
}
