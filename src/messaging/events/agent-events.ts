import { defineChatEvent, type EventPlace } from './define-chat-event.js';

/** Kinds about one agent or assistant, which only that app receives (docs/reference/events.md#agents). */

interface OfAgent extends EventPlace {
  readonly appId: string;
  readonly userId: string;
  /** What the person looks at; `{}`: nothing. */
  readonly context: object;
  readonly eventTs: string;
}

/** Wire form of the ts. */
type InThread = OfAgent & { readonly threadTs: string };

const ASSISTANT_RULE = { scope: 'assistant:write', audience: 'app' } as const;
const SESSION_RULE = { scope: 'chat:write', audience: 'app' } as const;

const ofThread = (kind: string) =>
  defineChatEvent<InThread>({
    kind,
    hears: ASSISTANT_RULE,
    app: (change) => change.appId,
    wire: ({ userId, context, conversation, threadTs, eventTs }) => ({
      type: kind,
      assistant_thread: { user_id: userId, context, channel_id: conversation.id, thread_ts: threadTs },
      event_ts: eventTs,
    }),
  });

/** A person began a thread with an assistant. */
export const assistantThreadStarted = ofThread('assistant_thread_started');

/** A person looks at something else beside a thread with an assistant. */
export const assistantThreadContextChanged = ofThread('assistant_thread_context_changed');

/** A person looks at something else beside an agent. */
export const appContextChanged = defineChatEvent<OfAgent>({
  kind: 'app_context_changed',
  hears: ASSISTANT_RULE,
  app: (change) => change.appId,
  wire: ({ userId, context, conversation, eventTs }) => ({
    type: 'app_context_changed',
    channel: conversation.id,
    user: userId,
    context,
    event_ts: eventTs,
  }),
});

interface OfSession extends EventPlace {
  readonly appId: string;
  readonly userId: string;
  readonly threadTs: string;
  readonly eventTs: string;
}

/** A person stopped what an agent does in a thread. */
export const agentSessionStopped = defineChatEvent<OfSession & { streamingMessageTs: readonly string[] }>({
  kind: 'agent_session_stopped',
  hears: SESSION_RULE,
  app: (change) => change.appId,
  wire: ({ conversation, userId, threadTs, streamingMessageTs, eventTs }) => ({
    type: 'agent_session_stopped',
    channel: conversation.id,
    user: userId,
    thread_ts: threadTs,
    streaming_message_ts: streamingMessageTs,
    event_ts: eventTs,
  }),
});

/** A person renamed a session. */
export const agentSessionTitleChanged = defineChatEvent<OfSession & { title: string; previousTitle: string | null }>({
  kind: 'agent_session_title_changed',
  hears: SESSION_RULE,
  app: (change) => change.appId,
  wire: ({ conversation, userId, workspaceId, threadTs, title, previousTitle, eventTs }) => ({
    type: 'agent_session_title_changed',
    channel: conversation.id,
    user: userId,
    team_id: workspaceId,
    thread_ts: threadTs,
    title,
    previous_title: previousTitle ?? undefined,
    event_ts: eventTs,
  }),
});
