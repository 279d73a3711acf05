import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';
import { sqlPermalink } from '../wire/permalink.js';

/* Hand-written: pin, count and message in one statement; lists of wire text. */

/** Parameters: conversation, ts, user, seconds, JSON members for the message. */
export const PIN = statement(
  'pins_add',
  `WITH pinned AS (
     INSERT INTO pins (conversation_id, ts, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1),
   counted AS (UPDATE conversations SET pin_count = pin_count + 1 WHERE id = $1 AND EXISTS (SELECT FROM pinned))
   UPDATE messages SET pinned = $5 WHERE conversation_id = $1 AND ts = $2 AND EXISTS (SELECT FROM pinned) RETURNING 1`,
);

/** A pin and its message as events tell it. $3: base URL. */
export const PIN_OF = statement(
  'pins_of_message',
  `SELECT p.user_id AS by, p.created_at AS at,
          left(${messageWire('m', 'NULL::text[]')}, -1) || ',"permalink":' || to_json(${sqlPermalink('m', '$3::text')})::text || '}' AS message
   FROM pins p JOIN messages m ON m.conversation_id = p.conversation_id AND m.ts = p.ts
   WHERE p.conversation_id = $1 AND p.ts = $2`,
);

/** The newest pin first. $2: the viewer's ids. */
export const PINS = statement(
  'pins_list',
  `SELECT p.user_id AS by, p.created_at AS at, ${messageWire('m', '$2::text[]')} AS message
   FROM pins p JOIN messages m ON m.conversation_id = p.conversation_id AND m.ts = p.ts
   WHERE p.conversation_id = $1 ORDER BY p.position DESC`,
);
