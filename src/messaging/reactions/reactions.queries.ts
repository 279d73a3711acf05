import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { Message } from '../store/message.entity.js';

const INSERT_REACTION = statement(
  'chat_insert_reaction',
  `INSERT INTO reactions (conversation_id, ts, user_id, name) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING name`,
);

const DELETE_REACTION = statement(
  'chat_delete_reaction',
  'DELETE FROM reactions WHERE conversation_id = $1 AND ts = $2 AND user_id = $3 AND name = $4 RETURNING name',
);

/** Names in order of first use, users in the order in which they reacted (docs/reference/chat.md#reactions). */
const REBUILD_REACTIONS = statement(
  'chat_rebuild_reactions',
  `WITH used AS MATERIALIZED (
     SELECT name, json_agg(user_id ORDER BY position)::text AS users, count(*) AS count, min(position) AS first,
            count(*) FILTER (WHERE user_id = $3) AS own
     FROM reactions WHERE conversation_id = $1 AND ts = $2 GROUP BY name)
   UPDATE messages SET reactions = (
     SELECT '[' || string_agg('{"name":' || to_json(name)::text || ',"users":' || users || ',"count":' || count || '}', ',' ORDER BY first) || ']'
     FROM used)
   WHERE conversation_id = $1 AND ts = $2
   RETURNING (SELECT count(*) FROM used)::int AS names, (SELECT coalesce(sum(own), 0) FROM used)::int AS own`,
);

/** False when this user already has this emoji on the message: the primary key decides, not a prior read. */
export async function insertReaction(tx: Tx, on: Message, userId: string, name: string): Promise<boolean> {
  return (await tx.query(INSERT_REACTION, [on.conversationId, on.ts, userId, name])).length === 1;
}

/** False when this user has no such reaction on the message. */
export async function deleteReaction(tx: Tx, on: Message, userId: string, name: string): Promise<boolean> {
  return (await tx.query(DELETE_REACTION, [on.conversationId, on.ts, userId, name])).length === 1;
}

/** Writes what the locked message shows of its reactions anew. Answers its distinct names, and how many this user has. */
export async function rebuildReactions(tx: Tx, on: Message, userId: string): Promise<{ names: number; own: number }> {
  const [row] = await tx.query<{ names: number; own: number }>(REBUILD_REACTIONS, [on.conversationId, on.ts, userId]);
  return row as { names: number; own: number };
}
