import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { screenChanged } from '../events/screen-events.js';
import { PEOPLE_OF_CONVERSATION, THREADS_OF_USER, SET_PART } from './assistant-threads.queries.js';

/** The app, conversation and thread of an assistant. */
export interface AssistantPlace {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly conversationId: string;
  /** Microseconds; 0: the conversation as a whole. */
  readonly threadTs: number;
  /** Empty: a person without an app. */
  readonly botId: string;
  /** Null: a person without an app. */
  readonly appId: string | null;
  /** Microseconds. */
  readonly at: number;
}

export interface AssistantThread {
  readonly channel: string;
  /** Microseconds; 0: the conversation as a whole. */
  readonly threadTs: number;
  readonly status: string;
  readonly title: string | null;
  readonly prompts: readonly { title: string; message: string }[];
  readonly promptsTitle: string | null;
  readonly appId: string | null;
}

/** Assistants' state of threads: a status, a title, prompts. The app's next message in the thread clears the status. */
@Injectable()
export class AssistantThreads {
  constructor(private readonly db: Db) {}

  setStatus(place: AssistantPlace, status: string, loadingMessages: readonly string[]): Promise<unknown> {
    return this.set(SET_PART.status, place, [status, JSON.stringify(loadingMessages)]);
  }

  setTitle(place: AssistantPlace, title: string): Promise<unknown> {
    return this.set(SET_PART.title, place, [title]);
  }

  setPrompts(place: AssistantPlace, prompts: readonly object[], title: string | null): Promise<unknown> {
    return this.set(SET_PART.prompts, place, [JSON.stringify(prompts), title]);
  }

  /** The state that a person sees, the newest first. */
  ofUser(workspaceId: string, userId: string): Promise<AssistantThread[]> {
    return this.db.read<AssistantThread & Record<string, unknown>>(THREADS_OF_USER, [workspaceId, userId]);
  }

  private async set(query: Statement, place: AssistantPlace, values: readonly unknown[]): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.query(query, [...keyOf(place), ...values]);
      if (place.appId !== null) await recordScreenChanges(tx, place, place.conversationId, place.appId);
    });
  }
}

/** Records for members of a conversation that an app changed what it shows there. */
export async function recordScreenChanges(
  tx: Tx,
  { tenantId, workspaceId }: { tenantId: number; workspaceId: string },
  conversationId: string,
  appId: string,
): Promise<void> {
  const people = await tx.query<{ id: string }>(PEOPLE_OF_CONVERSATION, [workspaceId, conversationId]);
  for (const { id } of people) tx.record(screenChanged({ tenantId, workspaceId, userId: id, appId }));
}

const keyOf = (place: AssistantPlace): unknown[] => [
  place.conversationId,
  place.threadTs,
  place.workspaceId,
  place.botId,
  place.at,
];
