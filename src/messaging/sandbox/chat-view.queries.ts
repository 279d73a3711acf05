import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: names of many kinds of things in one statement, and pages of wire text. */

/** Channels and people by id or name: the other ids and names of each of $2. */
export const ALIASES = statement(
  'chat_aliases',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (value)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1 AND deleted_at IS NULL)
   SELECT a.value, c.id AS one, c.name AS other FROM ws JOIN conversations c ON c.workspace_id = ws.id
     JOIN asked a ON a.value IN (c.id, c.name) AND c.name IS NOT NULL
   UNION ALL
   SELECT a.value, u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.value IN (u.id, u.name)`,
);

export const MESSAGES_OF_TENANT = statement(
  'chat_view_messages',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire, m.conversation_id AS channel
     FROM workspaces w JOIN conversations c ON c.workspace_id = w.id JOIN messages m ON m.conversation_id = c.id
    WHERE w.tenant_id = $1 AND w.deleted_at IS NULL ORDER BY m.ts DESC LIMIT $2`,
);

export const NAMES_OF_TENANT = statement(
  'chat_names',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (id)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1)
   SELECT c.id, c.name FROM asked a JOIN conversations c ON c.id = a.id JOIN ws ON ws.id = c.workspace_id WHERE c.name IS NOT NULL
   UNION ALL
   SELECT u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.id = u.id
   UNION ALL
   SELECT p.id, p.name FROM asked a JOIN apps p ON p.id = a.id JOIN ws ON ws.id = p.workspace_id`,
);
