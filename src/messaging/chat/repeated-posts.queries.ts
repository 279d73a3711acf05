import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the key decides between posts that are made at once, and ages are by the store's clock. */

/** A row if nobody has posted with the key ($1–$3); it waits for who is about to. */
export const CLAIM = statement(
  'chat_client_message_claim',
  `INSERT INTO client_messages (conversation_id, author_id, hash) VALUES ($1, $2, $3)
   ON CONFLICT (conversation_id, author_id, hash) DO NOTHING RETURNING hash`,
);

/**
 * The message that was posted with the key in the last hour and since the last reset, after which another message may
 * have its ts; if it is still there. Nobody else posts with the key meanwhile.
 */
export const EARLIER_POST = statement(
  'chat_client_message_earlier',
  `SELECT m.ts::float8 AS ts, m.wire, m.metadata
     FROM client_messages c JOIN messages m ON m.conversation_id = c.conversation_id AND m.ts = c.ts
     JOIN conversations h ON h.id = c.conversation_id JOIN workspaces w ON w.id = h.workspace_id
     LEFT JOIN sandboxes s ON s.tenant_id = w.tenant_id
    WHERE c.conversation_id = $1 AND c.author_id = $2 AND c.hash = $3
      AND c.created_at > clock_timestamp() - interval '1 hour' AND (s.reset_at IS NULL OR c.created_at > s.reset_at)
      FOR UPDATE OF c`,
);

export const POSTED = statement(
  'chat_client_message_posted',
  `UPDATE client_messages SET ts = $4, created_at = clock_timestamp()
    WHERE conversation_id = $1 AND author_id = $2 AND hash = $3`,
);

export const FORGET_OLD = statement(
  'chat_client_messages_forget',
  `DELETE FROM client_messages WHERE (conversation_id, author_id, hash) IN (
     SELECT conversation_id, author_id, hash FROM client_messages
      WHERE created_at < clock_timestamp() - interval '1 hour' ORDER BY created_at LIMIT 1000)`,
);
