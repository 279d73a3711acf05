import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import type { EventPlace } from '../events/define-chat-event.js';
import { screenChanged } from '../events/screen-events.js';
import {
  END_STATUS,
  END_STATUS_WITH_REPLY,
  NEXT_STATUS_END,
  OVERDUE_STATUSES,
  PEOPLE_OF_CONVERSATION,
  PROMPTING_APPS,
  THREADS_OF_USER,
  SET_PART,
  type OverdueStatus,
} from './assistant-threads.queries.js';

/** How long a status is shown at most, in seconds by the sandbox's clock. */
const STATUS_SECONDS = 120;
const LOOK_EVERY_MS = 1_000;

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

/** What an app says it is doing, and under which name and icon; absent: its own. */
export interface AssistantStatus {
  /** Empty: nothing. */
  readonly status: string;
  readonly loadingMessages: readonly string[];
  readonly username?: string | undefined;
  readonly iconEmoji?: string | undefined;
  readonly iconUrl?: string | undefined;
}

export interface AssistantThread {
  readonly channel: string;
  /** Microseconds; 0: the conversation as a whole. */
  readonly threadTs: number;
  readonly status: string;
  readonly loadingMessages: readonly string[];
  readonly username: string | null;
  readonly iconEmoji: string | null;
  readonly iconUrl: string | null;
  readonly title: string | null;
  readonly prompts: readonly { title: string; message: string }[];
  readonly promptsTitle: string | null;
  readonly appId: string | null;
}

interface PromptingApp extends Record<string, unknown> {
  readonly channel: string;
  readonly appId: string;
  readonly prompts: AssistantThread['prompts'];
}

const NOTHING_SET = {
  threadTs: 0,
  status: '',
  loadingMessages: [],
  username: null,
  iconEmoji: null,
  iconUrl: null,
  title: null,
  promptsTitle: null,
};

/**
 * Assistants' state of threads: a status, a title, prompts. The app's next message in the thread clears the status, and so
 * do 120 seconds (docs/reference/chat.md#assistant-threads).
 */
@Injectable()
export class AssistantThreads {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sandboxes: SandboxReader,
    dues: SandboxDues,
    upkeep: Upkeep,
  ) {
    dues.register({ next: (tenantId) => this.nextEnd(tenantId), run: () => this.endOverdue() });
    upkeep.register('ending statuses of assistants', LOOK_EVERY_MS, () => this.endOverdue());
  }

  setStatus(place: AssistantPlace, said: AssistantStatus): Promise<unknown> {
    const until = said.status === '' ? null : place.at + STATUS_SECONDS * 1e6;
    const shownAs = [said.username ?? null, said.iconEmoji ?? null, said.iconUrl ?? null];
    return this.set(SET_PART.status, place, [said.status, JSON.stringify(said.loadingMessages), ...shownAs, until]);
  }

  setTitle(tx: Tx, place: AssistantPlace, title: string): Promise<void> {
    return this.setIn(tx, SET_PART.title, place, [title]);
  }

  setPrompts(place: AssistantPlace, prompts: readonly object[], title: string | null): Promise<unknown> {
    return this.set(SET_PART.prompts, place, [JSON.stringify(prompts), title]);
  }

  /** What apps set for a person to see, the newest first. */
  ofUser(workspaceId: string, userId: string): Promise<AssistantThread[]> {
    return this.db.read<AssistantThread & Record<string, unknown>>(THREADS_OF_USER, [workspaceId, userId]);
  }

  /** The same with the prompts of manifests, which are shown until an app sets its own for a direct message. */
  async shownTo(workspaceId: string, userId: string): Promise<AssistantThread[]> {
    const [set, apps] = await Promise.all([
      this.ofUser(workspaceId, userId),
      this.db.read<PromptingApp>(PROMPTING_APPS, [workspaceId, userId]),
    ]);
    const isSet = ({ channel, appId }: PromptingApp): boolean =>
      set.some((one) => one.channel === channel && one.appId === appId && one.threadTs === 0);
    const ofManifests = apps.filter((app) => !isSet(app)).map((app) => ({ ...NOTHING_SET, ...app }));
    return [...set, ...ofManifests];
  }

  private async endOverdue(): Promise<void> {
    for (const row of await this.db.read<OverdueStatus>(OVERDUE_STATUSES, [this.clock.wallOffsetMicros])) {
      const thing = `status ${row.conversationId} ${row.threadTs} ${row.botId}`;
      await this.clock.doing(this.sandboxes.read(row.flags), thing, () =>
        this.db.write(async (tx) => {
          const key = [row.conversationId, row.threadTs, row.botId, row.statusUntil];
          const [ended] = await tx.query<{ appId: string }>(END_STATUS, key);
          if (ended) await recordScreenChanges(tx, row, row.conversationId, ended.appId);
        }),
      );
    }
  }

  private async nextEnd(tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ at: number | null }>(NEXT_STATUS_END, [tenantId]);
    return row?.at ?? null;
  }

  private async set(query: Statement, place: AssistantPlace, values: readonly unknown[]): Promise<void> {
    await this.db.write((tx) => this.setIn(tx, query, place, values));
  }

  private async setIn(tx: Tx, query: Statement, place: AssistantPlace, values: readonly unknown[]): Promise<void> {
    await tx.query(query, [...keyOf(place), ...values]);
    if (place.appId !== null) await recordScreenChanges(tx, place, place.conversationId, place.appId);
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

/** An app's reply in a thread ends the status that it showed there. */
export async function endStatusWithReply(tx: Tx, place: EventPlace, threadTs: number, botId: string): Promise<void> {
  const { id } = place.conversation;
  const [ended] = await tx.query<{ appId: string }>(END_STATUS_WITH_REPLY, [id, threadTs, botId]);
  if (ended) await recordScreenChanges(tx, place, id, ended.appId);
}

const keyOf = (place: AssistantPlace): unknown[] => [
  place.conversationId,
  place.threadTs,
  place.workspaceId,
  place.botId,
  place.at,
];
