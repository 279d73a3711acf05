import { statement } from '../../kernel/database/statement.js';

/* By hand: whether a message and its thread are there, in one round trip. */

export const MESSAGE_OF_THREAD = statement(
  'assistant_message',
  'SELECT FROM messages WHERE conversation_id = $1 AND ts = $2',
);
