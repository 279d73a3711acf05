import { Injectable } from '@nestjs/common';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Identity } from '../access/identity.js';
import { AgentSessions, statusOf } from '../chat/agent-sessions.js';
import { StreamEnds } from '../streams/stream-ends.js';
import { AssistantThreads } from '../messages/assistant-threads.js';
import { Dialogs } from '../surfaces/dialogs.js';
import { EntityRequests } from '../entity/entity-requests.js';
import { EphemeralMessages } from '../messages/ephemeral-messages.js';
import { formatTs } from '../store/message-ts.js';
import { Views } from '../surfaces/views.js';
import { iconsOf } from '../wire/emoji-pictures.js';
import { toWireView } from '../wire/view-wire.js';
import { ActNames } from './act-names.js';

/** Selects a part of a screen. */
export interface ScreenQuery {
  readonly appId: string | undefined;
  readonly channel: string | undefined;
}

/** What apps show a person now, besides ordinary messages. */
@Injectable()
export class Screen {
  constructor(
    private readonly assistants: AssistantThreads,
    private readonly names: ActNames,
    private readonly ephemerals: EphemeralMessages,
    private readonly views: Views,
    private readonly streams: StreamEnds,
    private readonly sessions: AgentSessions,
    private readonly dialogs: Dialogs,
    private readonly entities: EntityRequests,
    private readonly publicUrl: PublicUrl,
  ) {}

  async of(person: Identity, query: ScreenQuery): Promise<object> {
    const appId = query.appId ?? null;
    const channel = query.channel === undefined ? null : await this.names.conversation(person, query.channel);
    const { workspaceId, userId } = person;
    const [views, ephemeral, assistant, streams, sessions, dialogs, details] = await Promise.all([
      this.views.ofUser(workspaceId, userId, appId),
      this.ephemerals.ofUser(workspaceId, userId),
      this.assistants.shownTo(workspaceId, userId),
      this.streams.ofUser(workspaceId, userId),
      this.sessions.ofUser(workspaceId, userId),
      this.dialogs.ofUser(workspaceId, userId),
      this.entities.ofUser(workspaceId, userId),
    ]);
    const isAsked = (shown: { appId: string | null; channel: string }): boolean =>
      (appId === null || shown.appId === appId) && (channel === null || shown.channel === channel);
    return {
      user_id: userId,
      modals: views.filter((view) => view.depth > 0).map(toWireView),
      home: Object.fromEntries(views.filter((view) => view.depth === 0).map((view) => [view.appId, toWireView(view)])),
      ephemeral: ephemeral
        .filter(isAsked)
        .map((row) => ({ ...(JSON.parse(row.wire) as object), channel: row.channel })),
      assistant: assistant.filter(isAsked).map((thread) => ({
        channel: thread.channel,
        thread_ts: thread.threadTs === 0 ? null : formatTs(thread.threadTs),
        status: thread.status,
        loading_messages: thread.loadingMessages,
        username: thread.username,
        icons: iconsOf({ emoji: thread.iconEmoji, url: thread.iconUrl }, this.publicUrl.base) ?? null,
        title: thread.title,
        prompts: thread.prompts,
        app_id: thread.appId,
      })),
      dialogs: dialogs
        .filter((dialog) => appId === null || dialog.appId === appId)
        .map(({ id, appId: owner, content }) => ({ id, app_id: owner, ...content })),
      details: details.filter(isAsked).map((shown) => ({
        app_id: shown.appId,
        channel: shown.channel,
        message_ts: formatTs(shown.messageTs),
        trigger_id: shown.triggerId,
        ...shown.presented,
      })),
      streams: streams.filter(isAsked).map((stream) => ({
        channel: stream.channel,
        ts: formatTs(stream.ts),
        thread_ts: stream.threadTs === null ? null : formatTs(stream.threadTs),
        app_id: stream.appId,
        state: stream.state,
        text: stream.text,
      })),
      sessions: sessions
        .filter(
          ({ conversationId, statuses }) =>
            (channel === null || conversationId === channel) &&
            (appId === null || statuses.some((one) => one.appId === appId)),
        )
        .map((session) => ({
          channel: session.conversationId,
          thread_ts: formatTs(session.threadTs),
          status: statusOf(session),
          title: session.title,
          stoppable: session.statuses.some(({ status, isStoppable }) => status === 'processing' && isStoppable),
        })),
    };
  }
}
