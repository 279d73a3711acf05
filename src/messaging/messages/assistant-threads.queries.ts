import { sqlNowMicros } from '../../kernel/clock/clock.js';
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
  status: upsert('assistant_set_status', [
    'status',
    'loading_messages',
    'username',
    'icon_emoji',
    'icon_url',
    'status_until',
  ]),
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
  `SELECT a.conversation_id AS channel, a.thread_ts AS "threadTs", a.status, a.loading_messages AS "loadingMessages",
          a.username, a.icon_emoji AS "iconEmoji", a.icon_url AS "iconUrl", a.title, a.prompts, a.prompts_title AS "promptsTitle", b.app_id AS "appId"
   FROM members m JOIN assistant_threads a ON a.conversation_id = m.conversation_id AND a.workspace_id = $1
   LEFT JOIN users b ON b.workspace_id = $1 AND b.bot_id = a.bot_id
   WHERE m.user_id = $2 ORDER BY a.updated_at DESC LIMIT 100`,
);

/** Statuses that have stood for long enough, by their sandboxes' clocks. $1: the clock's offset in real time. */
export const OVERDUE_STATUSES = statement(
  'assistant_overdue',
  `SELECT a.conversation_id AS "conversationId", a.thread_ts AS "threadTs", a.bot_id AS "botId", a.status_until AS "statusUntil",
          w.id AS "workspaceId", w.tenant_id AS "tenantId", b.flags
   FROM assistant_threads a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes b ON b.tenant_id = w.tenant_id
   WHERE a.status_until <= coalesce(b.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(b.clock_offset, 0))
   ORDER BY a.status_until LIMIT 100`,
);

export interface OverdueStatus extends Record<string, unknown> {
  readonly conversationId: string;
  readonly threadTs: number;
  readonly botId: string;
  readonly statusUntil: number;
  readonly workspaceId: string;
  readonly tenantId: number;
  readonly flags: string | null;
}

/** Ends a status unless another was set meanwhile; answers the app where it was still shown. Parameters: the row above. */
export const END_STATUS = statement(
  'assistant_end_status',
  `WITH ended AS (
     UPDATE assistant_threads a SET status = '', loading_messages = '[]', status_until = NULL
     FROM assistant_threads b
     WHERE a.conversation_id = $1 AND a.thread_ts = $2 AND a.bot_id = $3 AND a.status_until = $4
       AND b.conversation_id = a.conversation_id AND b.thread_ts = a.thread_ts AND b.bot_id = a.bot_id
     RETURNING b.status, a.bot_id, a.workspace_id)
   SELECT u.app_id AS "appId" FROM ended e JOIN users u ON u.workspace_id = e.workspace_id AND u.bot_id = e.bot_id
   WHERE e.status <> '' LIMIT 1`,
);

/** Ends the status that an app shows in a thread; answers the app where there was one. Parameters: conversation, thread, bot. */
export const END_STATUS_WITH_REPLY = statement(
  'assistant_end_status_with_reply',
  `WITH ended AS (
     UPDATE assistant_threads SET status = '', loading_messages = '[]'
     WHERE conversation_id = $1 AND thread_ts = $2 AND bot_id = $3 AND status <> '' RETURNING bot_id, workspace_id)
   SELECT u.app_id AS "appId" FROM ended e JOIN users u ON u.workspace_id = e.workspace_id AND u.bot_id = e.bot_id LIMIT 1`,
);

/** The soonest end of a tenant's ($1) statuses, in microseconds. */
export const NEXT_STATUS_END = statement(
  'assistant_next_end',
  `SELECT min(a.status_until)::float8 AS at FROM assistant_threads a JOIN workspaces w ON w.id = a.workspace_id
   WHERE w.tenant_id = $1 AND a.status_until IS NOT NULL`,
);

/** Apps with prompts in their manifests that a person ($1 workspace, $2 user) has a direct message with. */
export const PROMPTING_APPS = statement(
  'assistant_prompting_apps',
  `SELECT c.id AS channel, a.id AS "appId",
          coalesce(a.manifest #> '{features,agent_view,suggested_prompts}', a.manifest #> '{features,assistant_view,suggested_prompts}') AS prompts
   FROM apps a JOIN members b ON b.user_id = a.bot_user_id
   JOIN conversations c ON c.id = b.conversation_id AND c.workspace_id = a.workspace_id AND c.type = 'im'
   JOIN members m ON m.conversation_id = c.id AND m.user_id = $2
   WHERE a.workspace_id = $1 AND a.bot_state = 'live'
     AND jsonb_array_length(coalesce(a.manifest #> '{features,agent_view,suggested_prompts}',
                                     a.manifest #> '{features,assistant_view,suggested_prompts}', '[]')) > 0
   LIMIT 100`,
);
