import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement, type Statement } from '../../kernel/database/statement.js';
import { screenChanged } from '../events/screen-events.js';

const upsert = (name: string, columns: readonly string[]) =>
  statement(
    name,
    `INSERT INTO assistant_threads (conversation_id, thread_ts, workspace_id, bot_id, updated_at, ${columns.join(', ')})
     VALUES ($1, $2, $3, $4, $5, ${columns.map((_, i) => `$${i + 6}`).join(', ')})
     ON CONFLICT (conversation_id, thread_ts, bot_id) DO UPDATE
     SET updated_at = excluded.updated_at, ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );

const SET = {
  status: upsert('assistant_set_status', ['status', 'loading_messages']),
  title: upsert('assistant_set_title', ['title']),
  prompts: upsert('assistant_set_prompts', ['prompts', 'prompts_title']),
} as const;

/** Whose screens show it: at most 100 people of the conversation. */
const PEOPLE = statement(
  'assistant_people',
  `SELECT m.user_id AS id FROM members m JOIN users u ON u.workspace_id = $1 AND u.id = m.user_id AND NOT u.is_bot
   WHERE m.conversation_id = $2 LIMIT 100`,
);

/** Of the conversations that a person is in. */
const OF_USER = statement(
  'assistant_of_user',
  `SELECT a.conversation_id AS channel, a.thread_ts AS "threadTs", a.status, a.title, a.prompts, b.app_id AS "appId"
   FROM members m JOIN assistant_threads a ON a.conversation_id = m.conversation_id AND a.workspace_id = $1
   LEFT JOIN users b ON b.workspace_id = $1 AND b.bot_id = a.bot_id
   WHERE m.user_id = $2 ORDER BY a.updated_at DESC LIMIT 100`,
);

/** Where an assistant shows something: by whom, in which thread. */
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
  readonly appId: string | null;
}

/** What assistants show of threads: a status, a title, prompts. The app's next message in the thread clears the status. */
@Injectable()
export class AssistantThreads {
  constructor(private readonly db: Db) {}

  setStatus(place: AssistantPlace, status: string, loadingMessages: readonly string[]): Promise<unknown> {
    return this.set(SET.status, place, [status, JSON.stringify(loadingMessages)]);
  }

  setTitle(place: AssistantPlace, title: string): Promise<unknown> {
    return this.set(SET.title, place, [title]);
  }

  setPrompts(place: AssistantPlace, prompts: readonly object[], title: string | null): Promise<unknown> {
    return this.set(SET.prompts, place, [JSON.stringify(prompts), title]);
  }

  /** What a person sees of them, the newest first. */
  ofUser(workspaceId: string, userId: string): Promise<AssistantThread[]> {
    return this.db.read<AssistantThread & Record<string, unknown>>(OF_USER, [workspaceId, userId]);
  }

  private async set(query: Statement, place: AssistantPlace, values: readonly unknown[]): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.query(query, [...keyOf(place), ...values]);
      if (place.appId !== null) await tellScreens(tx, place, place.conversationId, place.appId);
    });
  }
}

/** Tells the people of a conversation that an app shows something else there. */
export async function tellScreens(
  tx: Tx,
  { tenantId, workspaceId }: { tenantId: number; workspaceId: string },
  conversationId: string,
  appId: string,
): Promise<void> {
  const people = await tx.query<{ id: string }>(PEOPLE, [workspaceId, conversationId]);
  for (const { id } of people) tx.record(screenChanged({ tenantId, workspaceId, userId: id, appId }));
}

const keyOf = (place: AssistantPlace): unknown[] => [
  place.conversationId,
  place.threadTs,
  place.workspaceId,
  place.botId,
  place.at,
];
