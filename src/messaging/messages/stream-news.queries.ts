import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/*
 * Hand-written: open streams of all tenants, and their messages in wire form. Tables of other rooms: message_streams.
 * Whoever knows messages hears of them.
 */

/** Where streams are open: at most 1,000. */
export const OPEN_STREAM_PLACES = statement(
  'stream_places',
  `SELECT w.tenant_id AS "tenantId", c.id, c.type, s.ts FROM message_streams s
   JOIN conversations c ON c.id = s.conversation_id JOIN workspaces w ON w.id = c.workspace_id
   WHERE s.state = 'open' LIMIT 1000`,
);

/** Messages of streams that are still open, and what they began as. Parameters: conversations, ts. */
export const OPEN_STREAM_MESSAGES = statement(
  'stream_messages',
  `SELECT s.conversation_id AS channel, s.ts, s.begun, ${messageWire('m', 'NULL::text[]', 'true')} AS wire
   FROM unnest($1::text[], $2::bigint[]) AS r (conversation_id, ts)
   JOIN message_streams s ON s.conversation_id = r.conversation_id AND s.ts = r.ts AND s.state = 'open'
   JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts`,
);

/** As SQL: whether a message is still being streamed. */
export const isStreaming = (message: string): string =>
  `EXISTS (SELECT FROM message_streams s WHERE s.conversation_id = ${message}.conversation_id AND s.ts = ${message}.ts AND s.state = 'open')`;
