import { statement } from '../../kernel/database/statement.js';

/* Hand-written: one column of a wide row. */

export const THREAD_OF_MESSAGE = statement(
  'chat_thread_of_message',
  'SELECT thread_ts AS "threadTs" FROM messages WHERE conversation_id = $1 AND ts = $2',
);
