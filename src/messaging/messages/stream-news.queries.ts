import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: open streams of all tenants, and their messages in wire form. */

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
