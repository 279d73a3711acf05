import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: the wire text is put together in the database. */

export const MESSAGE_WITH_ACTIONS = statement(
  'chat_acted_on_message',
  `SELECT ${messageWire('m', 'NULL::text[]')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);
