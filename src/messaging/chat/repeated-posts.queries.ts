import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the key decides between posts that are made at once, and ages are by the store's clock. */

/** A row if nobody has posted with the key ($1–$3); it waits for who is about to. */
export const CLAIM = statement(
  'chat_client_message_claim',
  `INSERT INTO client_messages (conversation_id, author_id, hash) VALUES ($1, $2, $3)
   ON CONFLICT (conversation_id, author_id, hash) DO NOTHING RETURNING hash`,
);

/** The message that was posted with the key in the last hour, if it is still there; nobody else posts with it meanwhile. */
export const EARLIER_POST = statement(
  'chat_client_message_earlier',
  `SELECT m.ts::float8 AS ts, m.wire, m.metadata
     FROM client_messages c JOIN messages m ON m.conversation_id = c.conversation_id AND m.ts = c.ts
    WHERE c.conversation_id = $1 AND c.author_id = $2 AND c.hash = $3
      AND c.created_at > clock_timestamp() - interval '1 hour'
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
