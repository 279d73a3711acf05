import { statement } from '../../kernel/database/statement.js';
import { messageColumns } from '../store/message.entity.js';

/* Hand-written: every change of a message runs it. */

export const MESSAGE_FOR_UPDATE = statement(
  'chat_message_for_update',
  `SELECT ${messageColumns('m')} FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2 FOR NO KEY UPDATE`,
);
