import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { EventLog, queuedFor } from '../../kernel/events/event-log.js';
import { currentCause } from '../../kernel/http/call-context.js';
import type { EventPlace } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import type { Draft } from './draft.js';
import { POST_BATCH } from './message-log.queries.js';
import { formatTs } from './message-ts.js';

export interface Post extends EventPlace {
  readonly draft: Draft;
  /** Who must be a member; null = nobody (chat:write.public, webhooks). */
  readonly memberId: string | null;
}

/** A post in its batch, with the clock's offset as its caller has it and the request on whose behalf it is made. */
type QueuedPost = Post & { readonly clockOffset: number; readonly shift: number | null; readonly cause: string | null };

interface PostRow {
  n: number;
  ts: number | null;
  gone: boolean;
  archived: boolean;
  /** Members came or went while the statement waited, which saw those of before: nothing was stored, post again. */
  outdated: boolean;
  /** With the first of a batch: for whom deliveries were queued with all of it. */
  queued: string[] | null;
}

/** Top-level posts that concern nobody beside their conversation: those of a tenant that come together share one statement. */
@Injectable()
export class PostBatches {
  private readonly send: (post: QueuedPost) => Promise<PostRow>;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly events: EventLog,
  ) {
    this.send = coalesce((batch) => this.postBatch(batch), {
      name: 'chat.post',
      max: 128,
      lane: (post) => post.tenantId,
      maxWaiting: 200,
      together: (post) => post.conversation.id,
    });
  }

  /** Answers the ts. @throws MessagingError channel_not_found, is_archived, not_in_channel: as of the moment of the post */
  async post(post: Post): Promise<string> {
    const { offsetMicros: clockOffset, shiftMicros: shift } = this.clock;
    const queued = { ...post, clockOffset, shift, cause: currentCause() };
    let row = await this.send(queued);
    while (row.outdated) row = await this.send(queued);
    if (row.ts !== null) return formatTs(row.ts);
    throw new MessagingError(row.gone ? 'channel_not_found' : row.archived ? 'is_archived' : 'not_in_channel');
  }

  private async postBatch(batch: QueuedPost[]): Promise<PostRow[]> {
    const values = [
      batch.map((post) => post.conversation.id),
      batch.map((post) => post.memberId),
      batch.map((post) => post.draft.userId),
      batch.map((post) => post.draft.botId),
      batch.map((post) => post.draft.subtype),
      batch.map((post) => post.draft.text),
      batch.map((post) => post.draft.open),
      batch.map((post) => post.draft.metadata),
      batch.map((post) => post.tenantId),
      batch.map((post) => post.clockOffset),
      batch.map((post) => post.cause),
      batch.map((post) => post.shift),
    ];
    // one lane's, so one tenant's
    const rows = await this.db.run<PostRow>(POST_BATCH, values, batch[0]?.tenantId);
    this.events.wake(queuedFor(rows.flatMap((row) => row.queued ?? [])));
    const answers = new Array<PostRow>(batch.length);
    for (const row of rows) answers[row.n - 1] = row;
    return answers;
  }
}
