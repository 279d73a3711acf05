import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { TOMBSTONE, type Message } from '../store/message.entity.js';

/*
 * Hand-written: replies, repliers and the thread's counters change together, depending on the rows. Tables of other
 * rooms: reactions. They go with their message.
 */

const REWRITE = statement(
  'chat_rewrite_message',
  `UPDATE messages SET text = $3, wire = $4, metadata = $5, subtype = $6, is_broadcast = $7
   WHERE conversation_id = $1 AND ts = $2`,
);

const MAKE_TOMBSTONE = statement(
  'chat_bury_message',
  `WITH unreacted AS (DELETE FROM reactions WHERE conversation_id = $1 AND ts = $2)
   UPDATE messages SET text = $3, wire = $4, subtype = $5, user_id = $6, bot_id = NULL, metadata = NULL, reactions = NULL
   WHERE conversation_id = $1 AND ts = $2`,
);

const DELETE_MESSAGE = statement('chat_delete_message', 'DELETE FROM messages WHERE conversation_id = $1 AND ts = $2');

/** Only a user whose first of several replies is deleted needs a new first one. */
const UNCOUNT_REPLIER = statement(
  'chat_uncount_replier',
  `UPDATE thread_repliers r SET replies = r.replies - 1,
     first_ts = CASE WHEN r.first_ts <> $4 THEN r.first_ts ELSE coalesce((
       SELECT min(m.ts) FROM messages m
       WHERE m.conversation_id = $1 AND m.thread_ts = $2 AND coalesce(m.user_id, m.bot_id) = $3), r.first_ts) END
   WHERE r.conversation_id = $1 AND r.thread_ts = $2 AND r.replier = $3`,
);

const FORGET_REPLIER = statement(
  'chat_forget_replier',
  'DELETE FROM thread_repliers WHERE conversation_id = $1 AND thread_ts = $2 AND replier = $3 AND replies = 0',
);

/** The list of the first five repliers is refilled (docs/reference/chat.md#threads). */
const UNCOUNT_REPLY = statement(
  'chat_uncount_reply',
  `UPDATE messages SET reply_count = reply_count - 1,
     latest_reply = (SELECT max(m.ts) FROM messages m WHERE m.conversation_id = $1 AND m.thread_ts = $2),
     reply_users_count = (SELECT count(*) FROM thread_repliers r WHERE r.conversation_id = $1 AND r.thread_ts = $2),
     reply_users = ARRAY(SELECT r.replier FROM thread_repliers r WHERE r.conversation_id = $1 AND r.thread_ts = $2
                         ORDER BY r.first_ts LIMIT 5)
   WHERE conversation_id = $1 AND ts = $2 RETURNING reply_count, subtype`,
);

export async function rewriteMessage(
  tx: Tx,
  { conversationId, ts }: Message,
  next: Pick<Message, 'text' | 'wire' | 'metadata' | 'subtype' | 'isBroadcast'>,
): Promise<void> {
  await tx.query(REWRITE, [conversationId, ts, next.text, next.wire, next.metadata, next.subtype, next.isBroadcast]);
}

/** Makes a message a tombstone; its replies stay. */
export async function makeTombstone(
  tx: Tx,
  { conversationId, ts }: Message,
  tombstone: { text: string; wire: string; user: string },
) {
  await tx.query(MAKE_TOMBSTONE, [conversationId, ts, tombstone.text, tombstone.wire, TOMBSTONE, tombstone.user]);
}

/** Reactions go with it. */
export async function deleteMessage(
  tx: Tx,
  { conversationId, ts }: Pick<Message, 'conversationId' | 'ts'>,
): Promise<void> {
  await tx.query(DELETE_MESSAGE, [conversationId, ts]);
}

/** Removes a deleted reply from its parent's counters. A tombstone without replies is deleted too. */
export async function uncountReply(tx: Tx, reply: Message, parentTs: number): Promise<void> {
  const { conversationId, ts } = reply;
  const replier = reply.userId ?? reply.botId ?? '';
  await tx.query(UNCOUNT_REPLIER, [conversationId, parentTs, replier, ts]);
  await tx.query(FORGET_REPLIER, [conversationId, parentTs, replier]);
  const [parent] = await tx.query<{ reply_count: number; subtype: string | null }>(UNCOUNT_REPLY, [
    conversationId,
    parentTs,
  ]);
  if (parent?.reply_count === 0 && parent.subtype === TOMBSTONE)
    await deleteMessage(tx, { conversationId, ts: parentTs });
}
