import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxStreams, type SandboxStream, type StreamChoice } from '../../kernel/sandbox/sandbox-streams.js';
import { messageChanged, type EventPlace } from '../events/chat-events.js';
import { AppMessageEvents } from '../messages/app-message-events.js';
import { MessageLog } from '../messages/message-log.js';
import { formatTs, NO_SUCH_TS, parseTs } from '../store/message-ts.js';
import { streamedWire } from '../wire/message-wire.js';
import type { StreamState } from './message-stream.entity.js';
import type { RenderedContent } from './stream-content.js';
import {
  END_STREAM,
  HOLD_CONVERSATION,
  HOLD_STREAM,
  NEWEST_STREAMS,
  NEXT_END,
  OPEN_STREAMS,
  OPEN_STREAMS_OF_THREAD,
  OVERDUE_STREAMS,
  STREAMS_OF_USER,
  type ListedStream,
  type OverdueRow,
  type HeldConversationRow,
  type SeenStream,
  type StreamRow,
} from './streams.queries.js';

/** How late streams expire, at most. */
const LOOK_EVERY_MS = 400;

/** What a stream ends as. */
export interface StreamEnd {
  readonly state: Exclude<StreamState, 'open'>;
  /** All that was written, and how many characters of it are new; absent: what is there already. */
  readonly content?: { readonly rendered: RenderedContent; readonly characters: number };
  /** JSON text; absent: as it is. */
  readonly metadata?: string | undefined;
}

type StreamKey = Pick<StreamRow, 'conversationId' | 'ts'>;

/** How streams end: by their app, by a person, or because their time is over (docs/reference/chat.md#streams). */
@Injectable()
export class StreamEnds {
  private readonly logger = new Logger('Streams');

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly log: MessageLog,
    private readonly appEvents: AppMessageEvents,
    private readonly sandboxes: SandboxReader,
    upkeep: Upkeep,
    dues: SandboxDues,
    streams: SandboxStreams,
  ) {
    dues.register({ next: (tenantId) => this.nextEnd(tenantId), run: () => this.expireOverdue() });
    upkeep.register('ending streams', LOOK_EVERY_MS, (stopped) => this.expireOverdue(stopped));
    streams.register({
      list: (tenantId) => this.list(tenantId),
      expire: (tenantId, choice) => this.expireChosen(tenantId, choice),
    });
  }

  /** Ends a stream in a transaction that holds its conversation and the stream. */
  async end(tx: Tx, place: EventPlace, stream: StreamRow, { state, content, metadata }: StreamEnd): Promise<void> {
    const { conversationId, ts } = stream;
    const isOpen = stream.state === 'open';
    const { text, blocks = [] } = content?.rendered ?? (JSON.parse(stream.wire) as RenderedContent);
    const wire = streamedWire(stream.wire, { text, blocks }, true);
    const mayGrow = state === 'stopped_by_user';
    const previous = isOpen ? stream.begun : await this.log.wireForEvents(tx, conversationId, ts);
    await tx.query(END_STREAM, [
      conversationId,
      ts,
      state,
      mayGrow ? stream.content : null,
      mayGrow ? stream.begun : null,
      content?.characters ?? 0,
      text,
      wire,
      metadata ?? stream.metadata,
    ]);
    const noticeTs = formatTs(await this.log.nextTs(tx, conversationId));
    const message = await this.log.wireForEvents(tx, conversationId, ts);
    tx.record(messageChanged({ ...place, ts: noticeTs, previous: previous ?? message, message }));
    if (isOpen) await this.appEvents.recordPosted(tx, place, wire);
  }

  /** Ends an app's open streams in a thread for a person, in a transaction that holds the conversation. Returns their ts. */
  async stopByPerson(tx: Tx, place: EventPlace, appId: string, threadTs: number): Promise<string[]> {
    const { id } = place.conversation;
    const open = await tx.query<{ ts: number }>(OPEN_STREAMS_OF_THREAD, [id, threadTs, appId]);
    const stopped: string[] = [];
    for (const { ts } of open) {
      const [stream] = await tx.query<StreamRow>(HOLD_STREAM, [id, ts]);
      if (stream?.state !== 'open') continue;
      await this.end(tx, place, stream, { state: 'stopped_by_user' });
      stopped.push(formatTs(ts));
    }
    return stopped;
  }

  /** The streams that a person sees. */
  ofUser(workspaceId: string, userId: string): Promise<SeenStream[]> {
    return this.db.read<SeenStream>(STREAMS_OF_USER, [workspaceId, userId]);
  }

  /** Ends one as expired, unless it is over. Of several replicas one does. */
  async expire({ conversationId, ts }: StreamKey): Promise<boolean> {
    return this.db.write(async (tx) => {
      const place = await this.hold(tx, conversationId);
      const [stream] = await tx.query<StreamRow>(HOLD_STREAM, [conversationId, ts]);
      if (!place || stream?.state !== 'open') return false;
      await this.end(tx, place, stream, { state: 'expired' });
      return true;
    });
  }

  /** Locks the conversation of a stream. */
  async hold(tx: Tx, conversationId: string): Promise<EventPlace | undefined> {
    const [row] = await tx.query<HeldConversationRow>(HOLD_CONVERSATION, [conversationId]);
    return row && { ...row, conversation: { id: conversationId, type: row.type } };
  }

  private async expireOverdue(stopped = (): boolean => false): Promise<void> {
    for (;;) {
      const overdue = await this.db.read<OverdueRow>(OVERDUE_STREAMS, [this.clock.wallOffsetMicros]);
      if (overdue.length === 0 || (await this.expireAll(overdue, stopped)) < overdue.length) return;
    }
  }

  private async expireChosen(tenantId: number, { channels, ts }: StreamChoice): Promise<number> {
    const micros = ts === undefined ? null : (parseTs(ts) ?? NO_SUCH_TS);
    return this.expireAll(await this.db.read<OverdueRow>(OPEN_STREAMS, [tenantId, channels ?? null, micros]));
  }

  /** Returns how many of them ended. */
  private async expireAll(streams: readonly OverdueRow[], stopped = (): boolean => false): Promise<number> {
    let ended = 0;
    for (const { flags, ...stream } of streams) {
      if (stopped()) return ended;
      const thing = `stream ${stream.conversationId} ${stream.ts}`;
      try {
        if (await this.clock.doing(this.sandboxes.read(flags), thing, () => this.expire(stream))) ended++;
      } catch (error) {
        // it does not delay others, and is looked at again
        this.logger.warn(`a stream stays open: ${(error as Error).message}`);
      }
    }
    return ended;
  }

  private async nextEnd(tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ at: number | null }>(NEXT_END, [tenantId]);
    return row?.at ?? null;
  }

  private async list(tenantId: number): Promise<SandboxStream[]> {
    const rows = await this.db.read<ListedStream>(NEWEST_STREAMS, [tenantId]);
    return rows.map((row) => ({
      channel: row.conversationId,
      ts: formatTs(row.ts),
      thread_ts: row.threadTs === null ? null : formatTs(row.threadTs),
      app_id: row.appId,
      state: row.state,
      started_at: new Date(row.startedAt / 1000).toISOString(),
      expires_at: row.expiresAt === null ? null : new Date(row.expiresAt / 1000).toISOString(),
      appends: row.appends,
      characters: row.characters,
    }));
  }
}
