import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, asAuthor, hasBot, type App } from '../access/apps-access.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import type { AgentSession } from '../chat/agent-session.entity.js';
import { AgentSessions } from '../chat/agent-sessions.js';
import { ChatPostMessageArgs } from '../chat/chat.dto.js';
import { ChatService } from '../chat/chat.service.js';
import {
  agentSessionStopped,
  agentSessionTitleChanged,
  appContextChanged,
  assistantThreadContextChanged,
  assistantThreadStarted,
} from '../events/agent-events.js';
import { eventPlaceOf, type EventPlace } from '../events/define-chat-event.js';
import { parseArgs } from '../rpc/args/parse-args.js';
import { AssistantThreads } from '../messages/assistant-threads.js';
import { MessageLog } from '../messages/message-log.js';
import { formatTs, NO_SUCH_TS, parseTs } from '../store/message-ts.js';
import { StreamEnds } from '../streams/stream-ends.js';
import { isAgent, isAssistant, promptsOf, type Prompt } from '../wire/agent-view.js';
import { openWire } from '../wire/message-wire.js';
import { isLongerThan } from '../wire/text.js';
import { ActNames } from './act-names.js';
import { AgentContexts } from './agent-contexts.js';
import type { Fields } from './fields.js';
import { requireOneForm, type Verb, type VerbResult, type Verbs } from './verbs.js';

const MAX_TITLE = 200;
/** What a thread with an assistant is called until the app gives it a title. */
const NEW_CHAT = 'New chat';

/** What a person is offered to say, and the heading of it. */
interface ShownPrompts {
  readonly prompts: readonly Prompt[];
  readonly prompts_title: string | null;
}

/** People's actions with agents and assistants (docs/reference/acting.md#verbs). */
@Injectable()
export class AgentVerbs {
  readonly all: Verbs;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly names: ActNames,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly contexts: AgentContexts,
    private readonly assistants: AssistantThreads,
    private readonly chat: ChatService,
    private readonly log: MessageLog,
    private readonly sessions: AgentSessions,
    private readonly streams: StreamEnds,
  ) {
    const verb = (run: Verb['run'], until: Verb['until'] = 'reply'): Verb => ({ until, isDirect: false, run });
    this.all = {
      context: verb((person, fields) => this.context(person, fields), 'ack'),
      assistant_thread: verb((person, fields) => this.thread(person, fields)),
      prompt: verb((person, fields) => this.prompt(person, fields)),
      stop: verb((person, fields) => this.stop(person, fields), 'ack'),
      rename_session: verb((person, fields) => this.rename(person, fields), 'ack'),
    };
  }

  private async context(person: Identity, fields: Fields): Promise<VerbResult> {
    const app = await this.names.app(person, fields.optional('app_id'));
    const threadTs = fields.optional('thread_ts');
    const isThere = threadTs === undefined ? isAgent(app) : isAssistant(app);
    if (!isThere || !hasBot(app)) throw new RestError(409, 'not_enabled');
    const place = await this.imWith(person, app);
    const { context: sent } = fields.sent;
    const context = await (threadTs === undefined
      ? this.contexts.ofAgent(person, sent)
      : this.contexts.ofAssistant(person, sent));
    const change = { ...place, appId: app.id, userId: person.userId, context, eventTs: this.now() };
    await this.db.write(async (tx) => {
      tx.record(
        threadTs === undefined ? appContextChanged(change) : assistantThreadContextChanged({ ...change, threadTs }),
      );
    });
    const channel = place.conversation.id;
    return { result: { channel }, channel };
  }

  private async thread(person: Identity, fields: Fields): Promise<VerbResult> {
    const app = await this.names.app(person, fields.optional('app_id'));
    if (!isAssistant(app) || !hasBot(app)) throw new RestError(409, 'not_enabled');
    const place = await this.imWith(person, app);
    const context = await this.contexts.ofAssistant(person, fields.sent['context']);
    const threadTs = await this.db.write(async (tx) => {
      const ts = await this.storeRoot(tx, place, app);
      const change = { ...place, appId: app.id, userId: person.userId, context, threadTs: ts, eventTs: this.now() };
      tx.record(assistantThreadStarted(change));
      return ts;
    });
    const channel = place.conversation.id;
    return { result: { channel, thread_ts: threadTs }, channel };
  }

  /** The first message of a thread with an assistant: nobody is told of it. */
  private async storeRoot(tx: Tx, place: EventPlace, app: App): Promise<string> {
    const open = openWire({
      workspaceId: place.workspaceId,
      publicUrl: this.chat.baseUrl,
      author: { user: app.botUserId, app: asAuthor(app) },
      content: { text: NEW_CHAT },
      subtype: 'assistant_app_thread',
      extra: { assistant_app_thread: { title: NEW_CHAT, title_blocks: [], artifacts: [] } },
    });
    const { botUserId: userId, botId } = app;
    const subtype = 'assistant_app_thread';
    return this.log.storeQuietly(tx, place, { userId, botId, subtype, text: NEW_CHAT, open, metadata: null });
  }

  private async prompt(person: Identity, fields: Fields): Promise<VerbResult> {
    const named = fields.optional('channel');
    const app = named === undefined ? await this.names.app(person, fields.optional('app_id')) : null;
    if (app && !hasBot(app)) throw new RestError(409, 'not_enabled');
    const channel = app
      ? (await this.imWith(person, app)).conversation.id
      : await this.names.conversation(person, named as string);
    const threadTs = fields.optional('thread_ts');
    const { prompts } = await this.promptsIn(person, channel, threadTs, app);
    const title = fields.text('title');
    const prompt = prompts.find((one) => one.title === title) ?? prompts[Number(title) - 1];
    if (!prompt) throw new RestError(404, 'prompt_not_found');
    const args = parseArgs(ChatPostMessageArgs, { channel, text: prompt.message, thread_ts: threadTs });
    const posted = await this.chat.postMessage(person, args);
    return { result: { channel: posted.channel, ts: posted.ts }, channel: posted.channel };
  }

  /** The prompts that a person sees: of the thread, else of the conversation, else of the app's manifest. */
  async promptsIn(
    person: Identity,
    channel: string,
    threadTs: string | undefined,
    app: App | null,
  ): Promise<ShownPrompts> {
    const shown = (await this.assistants.ofUser(person.workspaceId, person.userId)).filter(
      (one) => one.channel === channel && one.prompts.length > 0 && (app === null || one.appId === app.id),
    );
    const micros = threadTs === undefined ? 0 : (parseTs(threadTs) ?? NO_SUCH_TS);
    const set = shown.find((one) => one.threadTs === micros) ?? shown.find((one) => one.threadTs === 0);
    if (set) return { prompts: set.prompts, prompts_title: set.promptsTitle };
    const agent = app ?? (await this.agentOf(person, channel));
    return { prompts: agent && hasBot(agent) ? promptsOf(agent) : [], prompts_title: null };
  }

  /** The app that an im is with. */
  private async agentOf(person: Identity, channel: string): Promise<App | null> {
    const conversation = await this.conversations.find(person, channel);
    const others = conversation?.membersKey?.split(',').filter((id) => id !== person.userId) ?? [];
    const [other] = others;
    return conversation?.type === 'im' && other !== undefined ? this.apps.findByBot(person.workspaceId, other) : null;
  }

  private async stop(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const threadTs = fields.text('thread_ts');
    const wanted = fields.optional('app_id');
    const named = wanted === undefined ? undefined : (await this.names.app(person, wanted)).id;
    const stopped = await this.db.write(async (tx) => {
      const { place, session } = await this.sessionAt(tx, person, channel, threadTs);
      const working = session.statuses.filter(
        ({ appId, status }) => status === 'processing' && (named === undefined || appId === named),
      );
      for (const { appId } of working) {
        if (!(await this.sessions.isStoppable(tx, person.workspaceId, appId))) continue;
        const streamingMessageTs = await this.streams.stopByPerson(tx, place, appId, session.threadTs);
        const change = { ...place, appId, userId: person.userId, threadTs, streamingMessageTs, eventTs: this.now() };
        tx.record(agentSessionStopped(change));
        return streamingMessageTs;
      }
      throw new RestError(409, 'not_stoppable');
    });
    return { result: { streaming_message_ts: stopped }, channel };
  }

  private async rename(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const threadTs = fields.text('thread_ts');
    const title = fields.text('title');
    if (isLongerThan(title, MAX_TITLE)) requireOneForm(`title must be at most ${MAX_TITLE} characters`);
    const previousTitle = await this.db.write(async (tx) => {
      const { place, session } = await this.sessionAt(tx, person, channel, threadTs);
      const before = await this.sessions.rename(tx, place, session, title);
      for (const { appId } of session.statuses) {
        const change = { ...place, appId, userId: person.userId, threadTs, title, previousTitle: before };
        tx.record(agentSessionTitleChanged({ ...change, eventTs: this.now() }));
      }
      return before;
    });
    return { result: { title, previous_title: previousTitle }, channel };
  }

  /** A thread's session, with its conversation locked. @throws RestError 404 session_not_found */
  private async sessionAt(
    tx: Tx,
    person: Identity,
    channel: string,
    threadTs: string,
  ): Promise<{ place: EventPlace; session: AgentSession }> {
    const conversation = await this.conversations.forUpdate(tx, person, channel);
    const session = await this.sessions.find(tx, channel, parseTs(threadTs) ?? NO_SUCH_TS);
    if (!session) throw new RestError(404, 'session_not_found');
    return { place: eventPlaceOf(person, conversation), session };
  }

  private async imWith(person: Identity, app: App): Promise<EventPlace> {
    return eventPlaceOf(person, { id: await this.names.im(person, app.botUserId), type: 'im' });
  }

  private now(): string {
    return formatTs(this.clock.nowMicros());
  }
}
