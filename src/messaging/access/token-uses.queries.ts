import { statement } from '../../kernel/database/statement.js';

/* Hand-written: uses of many tokens are recorded at once. */

/** Always in the same order, so that replicas recording the same tokens wait for each other instead of deadlocking. */
export const NOTE_USES = statement(
  'chat_note_token_uses',
  `INSERT INTO token_uses (hash, used_at)
   SELECT h, now() FROM unnest($1::text[]) h ORDER BY h COLLATE "C"
   ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at`,
  { keeps: 'everything' },
);

export const FORGET_OLD_USES = statement(
  'chat_forget_old_token_uses',
  `DELETE FROM token_uses WHERE hash IN (
     SELECT hash FROM token_uses WHERE used_at < now() - interval '30 days' ORDER BY used_at LIMIT 1000)`,
);
