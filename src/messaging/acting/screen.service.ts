import { Injectable } from '@nestjs/common';
import type { Identity } from '../access/identity.js';
import { AssistantThreads } from '../store/assistant-threads.js';
import { EphemeralMessages } from '../store/ephemeral-messages.js';
import { formatTs } from '../store/message-ts.js';
import { Views } from '../store/views.js';
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
  ) {}

  async of(person: Identity, query: ScreenQuery): Promise<object> {
    const appId = query.appId ?? null;
    const channel = query.channel === undefined ? null : await this.names.conversation(person, query.channel);
    const { workspaceId, userId } = person;
    const [views, ephemeral, assistant] = await Promise.all([
      this.views.ofUser(workspaceId, userId, appId),
      this.ephemerals.ofUser(workspaceId, userId),
      this.assistants.ofUser(workspaceId, userId),
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
        title: thread.title,
        prompts: thread.prompts,
      })),
    };
  }
}
