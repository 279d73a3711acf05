import { Injectable } from '@nestjs/common';
import { Clock, sqlNowMicros } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { EventLog } from '../../kernel/events/event-log.js';
import { messagePosted, messageReplied, type DomainEvent, type Scene } from './chat-events.js';
import { MessagingError } from './codes.js';
import { isMember } from './conversation-access.js';
import { planDeliveries } from './delivery-plan.js';
import { sqlHistoryScope } from './event-names.js';
import { SYSTEM_SUBTYPES } from './message.entity.js';
import { formatTs } from './message-ts.js';
import { closeWire, messageWire, sqlTs } from './message-wire.js';

/** A message about to be stored. */
export interface Draft {
  /** Null on a `bot_message`. */
  readonly userId: string | null;
  readonly botId: string | null;
  readonly subtype: string | null;
  readonly text: string;
  /** From `openWire`. */
  readonly open: string;
  /** JSON text. */
  readonly metadata: string | null;
}

/** A reply to a message: its parent as it was looked up, and whether the channel shows the reply too. */
export interface ReplyTo {
  readonly ts: number;
  readonly broadcast: boolean;
}

interface Post extends Scene {
  readonly draft: Draft;
  /** Who must be a member; null = nobody (chat:write.public, webhooks). */
  readonly memberId: string | null;
}

interface PostRow {
  n: number;
  ts: number | null;
  gone: boolean;
  archived: boolean;
  /** Members came or went while the statement waited, which saw those of before: nothing was stored, post again. */
  outdated: boolean;
  /** Of the whole batch: deliveries were queued with it. */
  queued: boolean;
}

const EVENT_TAIL = `',"channel":"' || msg.conversation_id || '","channel_type":"'
  || CASE msg.type WHEN 'public' THEN 'channel' WHEN 'private' THEN 'group' ELSE msg.type END
  || '","event_ts":"' || ${sqlTs('msg.ts')} || '"'
  || coalesce(',"metadata":' || msg.metadata, '') || '}'`;

/**
 * The post of a whole batch: conversations locked in id order (no deadlocks), one ts each from the conversation's
 * counter, message, event and deliveries in the same statement. A caller who may not post is a row without ts.
 *
 * What waited for a lock has the row's newest version, but sees other tables as of before the wait: who was kicked just
 * now would still get through, and hear of it. So the conversation counts changes of its members, and a post of one
 * whose count moved under the wait is not stored.
 */
const POST_BATCH = statement(
  'chat_post_batch',
  `WITH req AS MATERIALIZED (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
       WITH ORDINALITY AS r (conversation_id, member_id, user_id, bot_id, subtype, text, wire, metadata, tenant_id, n)),
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, workspace_id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   ok AS MATERIALIZED (
     SELECT r.*, l.workspace_id, l.type, row_number() OVER (PARTITION BY r.conversation_id ORDER BY r.n) AS k
     FROM req r JOIN locked l ON l.id = r.conversation_id
     JOIN seen ON seen.id = l.id AND seen.members_version = l.members_version
     LEFT JOIN members m ON m.conversation_id = r.conversation_id AND m.user_id = r.member_id
     WHERE NOT l.is_archived AND (r.member_id IS NULL OR m.user_id IS NOT NULL)),
   counted AS MATERIALIZED (SELECT conversation_id, count(*) AS posts FROM ok GROUP BY 1),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('$10')}, c.last_ts + 1) + counted.posts - 1
     FROM counted WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.posts AS base),
   msg AS MATERIALIZED (SELECT ok.*, moved.base + ok.k AS ts FROM ok JOIN moved ON moved.id = ok.conversation_id),
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, user_id, bot_id, subtype, text, wire || ',"ts":"' || ${sqlTs('ts')} || '"}', metadata FROM msg),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, workspace_id, coalesce(user_id, bot_id, ''), lower(text) FROM msg),
   told AS (
     INSERT INTO events (tenant_id, product, kind, room, data)
     SELECT tenant_id, 'chat', 'message', 'conversation:' || conversation_id,
            wire || ',"ts":"' || ${sqlTs('ts')} || '"' || ${EVENT_TAIL} FROM msg ORDER BY n
     RETURNING id, tenant_id, room),
   planned AS (${planDeliveries(`(
     SELECT told.id AS event_id, told.tenant_id, 'message' AS kind, l.id AS conversation_id, l.type,
            ${sqlHistoryScope('l.type')} AS scope, true AS members_only, NULL::text AS left_user_id
     FROM told JOIN locked l ON 'conversation:' || l.id = told.room) e`)} RETURNING event_id)
   SELECT r.n, msg.ts, l.id IS NULL AS gone, coalesce(l.is_archived, false) AS archived,
          coalesce(l.members_version <> seen.members_version, false) AS outdated, EXISTS (SELECT FROM planned) AS queued
   FROM req r LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen ON seen.id = l.id LEFT JOIN msg ON msg.n = r.n`,
);

const NEXT_TS = statement(
  'chat_next_ts',
  `UPDATE conversations SET last_ts = greatest(${sqlNowMicros('$2')}, last_ts + 1) + $3::bigint - 1 WHERE id = $1 RETURNING last_ts`,
);

const HOLD = statement(
  'chat_hold_conversation',
  `SELECT is_archived FROM conversations WHERE id = $1 FOR NO KEY UPDATE`,
);

const INSERT_MESSAGE = statement(
  'chat_insert_message',
  `INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const INSERT_MESSAGES = statement(
  'chat_insert_messages',
  `INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
   SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`,
);

const LOCK_PARENT = statement(
  'chat_lock_parent',
  `SELECT ts, thread_ts, subtype, user_id, reply_users FROM messages WHERE conversation_id = $1 AND ts = $2 FOR NO KEY UPDATE`,
);

/** Stores a reply, counts it on its parent and answers the parent as it is told, all while a channel's posts wait. */
const INSERT_REPLY = statement(
  'chat_insert_reply',
  `WITH stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata)
     VALUES ($1, $2::bigint, $3::bigint, $4, $5, $6, $7, $8, $9, $10)),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     VALUES ($1, $2::bigint, $12::text, $11::text, lower($8::text))),
   threaded AS (
     INSERT INTO message_facets (conversation_id, ts, facet, workspace_id) VALUES ($1, $2::bigint, 'thread', $12::text)),
   counted AS (
     INSERT INTO thread_repliers (conversation_id, thread_ts, replier, replies, first_ts)
     VALUES ($1, $3::bigint, $11::text, 1, $2::bigint)
     ON CONFLICT (conversation_id, thread_ts, replier) DO UPDATE SET replies = thread_repliers.replies + 1
     RETURNING replies = 1 AS is_new)
   UPDATE messages m SET reply_count = m.reply_count + 1, latest_reply = $2::bigint,
     reply_users_count = m.reply_users_count + CASE WHEN is_new THEN 1 ELSE 0 END,
     reply_users = CASE WHEN is_new AND cardinality(m.reply_users) < 5 THEN m.reply_users || $11::text ELSE m.reply_users END
   FROM counted WHERE m.conversation_id = $1 AND m.ts = $3::bigint
   RETURNING ${messageWire('m', 'NULL::text[]', 'true')} AS parent`,
);

const MESSAGE_TOLD = statement(
  'chat_message_told',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

const MESSAGE_SEEN = statement(
  'chat_message_seen',
  `SELECT ${messageWire('m', '$3::text[]')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

/** Stores messages. Every message, whoever writes it, gets its ts and its event here (messaging.md A.11, D.2). */
@Injectable()
export class MessageLog {
  private readonly posts: (post: Post) => Promise<PostRow>;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly events: EventLog,
  ) {
    this.posts = coalesce((batch) => this.postBatch(batch), { name: 'chat.post', max: 128 });
  }

  /**
   * Posts a top-level message: concurrent posts share one statement. Answers its ts.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel: as of the moment of the post
   */
  async post(post: Post): Promise<string> {
    let row = await this.posts(post);
    while (row.outdated) row = await this.posts(post);
    if (row.ts !== null) return formatTs(row.ts);
    throw new MessagingError(row.gone ? 'channel_not_found' : row.archived ? 'is_archived' : 'not_in_channel');
  }

  /**
   * Locks a conversation and checks that it takes posts from this member (null = from anybody).
   * @throws MessagingError channel_not_found, is_archived, not_in_channel
   */
  async hold(tx: Tx, conversationId: string, memberId: string | null): Promise<void> {
    const [row] = await tx.query<{ is_archived: boolean }>(HOLD, [conversationId]);
    if (!row) throw new MessagingError('channel_not_found');
    if (row.is_archived) throw new MessagingError('is_archived');
    if (memberId !== null && !(await isMember(tx, conversationId, memberId)))
      throw new MessagingError('not_in_channel');
  }

  /** The next ts of a conversation, whose row stays locked until the commit. Of `count` in a row, the last. */
  async nextTs(tx: Tx, conversationId: string, count = 1): Promise<number> {
    const [row] = await tx.query<{ last_ts: number }>(NEXT_TS, [conversationId, this.clock.offsetMicros, count]);
    if (!row) throw new MessagingError('channel_not_found');
    return row.last_ts;
  }

  /** Stores a message inside a transaction that holds the conversation (system messages). Answers its ts. */
  async append(tx: Tx, scene: Scene, draft: Draft): Promise<string> {
    const micros = await this.nextTs(tx, scene.conversation.id);
    const ts = formatTs(micros);
    const wire = closeWire(draft.open, ts);
    await tx.query(INSERT_MESSAGE, [
      scene.conversation.id,
      micros,
      draft.userId,
      draft.botId,
      draft.subtype,
      draft.text,
      wire,
      draft.metadata,
    ]);
    tx.record(messagePosted({ ...scene, wire: withMetadata(wire, draft.metadata), ts }));
    return ts;
  }

  /** The same for many at once, each with the event that is told just before it, in two statements. */
  async appendAll(tx: Tx, scene: Scene, all: readonly { draft: Draft; before: DomainEvent }[]): Promise<void> {
    if (all.length === 0) return;
    const first = (await this.nextTs(tx, scene.conversation.id, all.length)) - all.length + 1;
    const messages = all.map(({ draft, before }, i) => ({
      draft,
      before,
      ts: first + i,
      wire: closeWire(draft.open, formatTs(first + i)),
    }));
    await tx.query(INSERT_MESSAGES, [
      scene.conversation.id,
      messages.map(({ ts }) => ts),
      messages.map(({ draft }) => draft.userId),
      messages.map(({ draft }) => draft.botId),
      messages.map(({ draft }) => draft.subtype),
      messages.map(({ draft }) => draft.text),
      messages.map(({ wire }) => wire),
      messages.map(({ draft }) => draft.metadata),
    ]);
    for (const { draft, before, ts, wire } of messages) {
      tx.record(before);
      tx.record(messagePosted({ ...scene, wire: withMetadata(wire, draft.metadata), ts: formatTs(ts) }));
    }
  }

  /**
   * Stores a reply and counts it on its parent. `thread` makes the open wire, which names the parent. Null when the
   * parent is gone meanwhile.
   * @throws MessagingError cannot_reply_to_message
   */
  async reply(
    tx: Tx,
    scene: Scene,
    to: ReplyTo,
    draftOf: (thread: { ts: string; parentUserId: string | null }) => Draft,
  ): Promise<{ ts: string; micros: number; wire: string } | null> {
    const parent = await this.lockParent(tx, scene.conversation.id, to.ts);
    if (!parent) return null;
    const draft = draftOf({ ts: formatTs(parent.ts), parentUserId: parent.user_id });
    // one for the reply, one for the notice that follows it
    const noticeTs = await this.nextTs(tx, scene.conversation.id, 2);
    const micros = noticeTs - 1;
    const ts = formatTs(micros);
    const wire = closeWire(draft.open, ts);
    const [counted] = await tx.query<{ parent: string }>(INSERT_REPLY, [
      scene.conversation.id,
      micros,
      parent.ts,
      to.broadcast,
      draft.userId,
      draft.botId,
      draft.subtype,
      draft.text,
      wire,
      draft.metadata,
      draft.userId ?? draft.botId ?? '',
      scene.workspaceId,
    ]);
    // only a broadcast shows more than what was stored: its root
    const told = to.broadcast ? await this.told(tx, scene.conversation.id, micros) : withMetadata(wire, draft.metadata);
    tx.record(messagePosted({ ...scene, wire: told, ts }));
    tx.record(
      messageReplied({
        ...scene,
        ts: formatTs(noticeTs),
        parent: (counted as { parent: string }).parent,
        reply: { user: draft.userId ?? undefined, ts },
      }),
    );
    return { ts, micros, wire };
  }

  /** A message as events show it: whole, with metadata, seen by nobody in particular. */
  async told(tx: Tx, conversationId: string, ts: number): Promise<string> {
    const [row] = await tx.query<{ wire: string }>(MESSAGE_TOLD, [conversationId, ts]);
    if (!row) throw new MessagingError('message_not_found');
    return row.wire;
  }

  /** A message as its reader sees it, without metadata. @param viewer the reader's ids (`authorIds`) */
  async seen(tx: Tx, conversationId: string, ts: number, viewer: readonly string[]): Promise<string> {
    const [row] = await tx.query<{ wire: string }>(MESSAGE_SEEN, [conversationId, ts, viewer]);
    if (!row) throw new MessagingError('message_not_found');
    return row.wire;
  }

  /** The message that a reply belongs to; a reply's own ts leads to its parent (chat.postMessage, thread_ts). */
  private async lockParent(
    tx: Tx,
    conversationId: string,
    ts: number,
  ): Promise<{ ts: number; user_id: string | null; reply_users: string[] } | undefined> {
    interface Row {
      ts: number;
      thread_ts: number | null;
      subtype: string | null;
      user_id: string | null;
      reply_users: string[];
    }
    let [row] = await tx.query<Row>(LOCK_PARENT, [conversationId, ts]);
    if (row?.thread_ts) [row] = await tx.query<Row>(LOCK_PARENT, [conversationId, row.thread_ts]);
    if (row?.subtype && SYSTEM_SUBTYPES.has(row.subtype)) throw new MessagingError('cannot_reply_to_message');
    return row;
  }

  private async postBatch(batch: Post[]): Promise<PostRow[]> {
    const rows = await this.db.run<PostRow>(POST_BATCH, [
      batch.map((post) => post.conversation.id),
      batch.map((post) => post.memberId),
      batch.map((post) => post.draft.userId),
      batch.map((post) => post.draft.botId),
      batch.map((post) => post.draft.subtype),
      batch.map((post) => post.draft.text),
      batch.map((post) => post.draft.open),
      batch.map((post) => post.draft.metadata),
      batch.map((post) => post.tenantId),
      this.clock.offsetMicros,
    ]);
    this.events.wake(rows.some((row) => row.queued));
    const answers = new Array<PostRow>(batch.length);
    for (const row of rows) answers[row.n - 1] = row;
    return answers;
  }
}

const withMetadata = (wire: string, metadata: string | null): string =>
  metadata === null ? wire : `${wire.slice(0, -1)},"metadata":${metadata}}`;
