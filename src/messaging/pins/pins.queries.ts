import { statement } from '../../kernel/database/statement.js';
import { messageWithPermalink } from '../wire/message-wire.queries.js';

/* Hand-written: pin, count and message in one statement; lists of wire text. */

/** Parameters: conversation, ts, user, seconds, JSON members for the message. */
export const PIN = statement(
  'pins_add',
  `WITH pinned AS (
     INSERT INTO pins (conversation_id, ts, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1),
   counted AS (UPDATE conversations SET pin_count = pin_count + 1 WHERE id = $1 AND EXISTS (SELECT FROM pinned))
   UPDATE messages SET pinned = $5 WHERE conversation_id = $1 AND ts = $2 AND EXISTS (SELECT FROM pinned) RETURNING 1`,
);

/** A message as events about its pin tell it. $3: base URL. */
export const MESSAGE_OF_PIN = statement(
  'pins_message',
  `SELECT ${messageWithPermalink('m', 'NULL::text[]', '$3::text')} AS wire
   FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

/** The newest pin first. $2: the viewer's ids; $3: base URL. */
export const PINS = statement(
  'pins_list',
  `SELECT p.user_id AS by, p.created_at AS at, ${messageWithPermalink('m', '$2::text[]', '$3::text')} AS message
   FROM pins p JOIN messages m ON m.conversation_id = p.conversation_id AND m.ts = p.ts
   WHERE p.conversation_id = $1 ORDER BY p.position DESC`,
);
