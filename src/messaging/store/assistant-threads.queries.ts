import { statement } from '../../kernel/database/statement.js';

/* Hand-written: each write inserts or replaces one part of a row. */

const upsert = (name: string, columns: readonly string[]) =>
  statement(
    name,
    `INSERT INTO assistant_threads (conversation_id, thread_ts, workspace_id, bot_id, updated_at, ${columns.join(', ')})
     VALUES ($1, $2, $3, $4, $5, ${columns.map((_, i) => `$${i + 6}`).join(', ')})
     ON CONFLICT (conversation_id, thread_ts, bot_id) DO UPDATE
     SET updated_at = excluded.updated_at, ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );

export const SET_PART = {
  status: upsert('assistant_set_status', ['status', 'loading_messages']),
  title: upsert('assistant_set_title', ['title']),
  prompts: upsert('assistant_set_prompts', ['prompts', 'prompts_title']),
} as const;

/** Members whose screens show it: at most 100. */
export const PEOPLE_OF_CONVERSATION = statement(
  'assistant_people',
  `SELECT m.user_id AS id FROM members m JOIN users u ON u.workspace_id = $1 AND u.id = m.user_id AND NOT u.is_bot
   WHERE m.conversation_id = $2 LIMIT 100`,
);

/** Of the conversations that a person is in. */
export const THREADS_OF_USER = statement(
  'assistant_of_user',
  `SELECT a.conversation_id AS channel, a.thread_ts AS "threadTs", a.status, a.title, a.prompts, a.prompts_title AS "promptsTitle", b.app_id AS "appId"
   FROM members m JOIN assistant_threads a ON a.conversation_id = m.conversation_id AND a.workspace_id = $1
   LEFT JOIN users b ON b.workspace_id = $1 AND b.bot_id = a.bot_id
   WHERE m.user_id = $2 ORDER BY a.updated_at DESC LIMIT 100`,
);
