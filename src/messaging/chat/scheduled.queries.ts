import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';
import type { PostRequest } from './chat.service.js';

/* Hand-written: due messages are claimed in sets, and counted around a time. */

/** Parameters: conversation, time, seconds around it. */
export const SCHEDULED_AROUND = statement(
  'chat_scheduled_around',
  `SELECT count(*)::int AS count FROM scheduled_messages
   WHERE conversation_id = $1 AND post_at BETWEEN $2::bigint - $3::bigint AND $2::bigint + $3::bigint`,
);

/** The owner: the app, or the person if there is no app. */
const OWN = `(CASE WHEN $2::text IS NULL THEN app_id IS NULL AND user_id = $3 ELSE app_id = $2 END)`;

/** Parameters: workspace, app, user, conversation, oldest, latest, the key to start from (post_at, id), how many. */
export const SCHEDULED_PAGE = statement(
  'chat_scheduled_page',
  `SELECT id, conversation_id AS "channelId", post_at AS "postAt", created_at AS "createdAt", text FROM scheduled_messages
   WHERE workspace_id = $1 AND ${OWN} AND ($4::text IS NULL OR conversation_id = $4)
     AND ($5::bigint IS NULL OR post_at >= $5) AND ($6::bigint IS NULL OR post_at <= $6)
     AND (post_at, id) >= ($7::bigint, $8::text)
   ORDER BY post_at, id LIMIT $9::int`,
);

/** Parameters: workspace, app, user, conversation, id. */
export const DELETE_SCHEDULED = statement(
  'chat_delete_scheduled',
  `DELETE FROM scheduled_messages WHERE workspace_id = $1 AND ${OWN} AND conversation_id = $4 AND id = $5 RETURNING id`,
);

export interface DueRow extends Record<string, unknown> {
  id: string;
  flags: string | null;
}

/** Due messages, each by its own sandbox's time. $1: the clock's offset in real time. */
export const DUE = statement(
  'chat_scheduled_due',
  `WITH real AS (SELECT ${sqlNowMicros('$1')} AS now)
   SELECT id, flags FROM (
     (SELECT m.id, m.post_at, s.flags FROM real, scheduled_messages m
      JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL
      LEFT JOIN sandboxes s ON s.tenant_id = w.tenant_id
      WHERE m.post_at <= real.now / 1000000 AND coalesce(s.clock_offset, 0) = 0 AND s.clock_frozen_at IS NULL
      ORDER BY m.post_at, m.id LIMIT 100)
     UNION ALL
     (SELECT m.id, m.post_at, s.flags FROM real, sandboxes s
      JOIN workspaces w ON w.tenant_id = s.tenant_id AND w.deleted_at IS NULL
      JOIN scheduled_messages m ON m.workspace_id = w.id
      WHERE (s.clock_offset <> 0 OR s.clock_frozen_at IS NOT NULL)
        AND m.post_at <= coalesce(s.clock_frozen_at, real.now + s.clock_offset) / 1000000
      ORDER BY m.post_at, m.id LIMIT 100)) due
   ORDER BY post_at, id`,
);

/** The soonest of a tenant ($1), in seconds. */
export const NEXT_DUE = statement(
  'chat_scheduled_next_due',
  `SELECT min(m.post_at)::float8 AS "postAt" FROM workspaces w JOIN scheduled_messages m ON m.workspace_id = w.id
   WHERE w.tenant_id = $1`,
);

export interface TakenRow extends Record<string, unknown> {
  tenantId: number;
  workspaceId: string;
  conversationId: string;
  type: 'public' | 'private' | 'im' | 'mpim';
  post: PostRequest;
  /** Whether the app and the user still exist. */
  isAlive: boolean;
}

/** Deletes one: of several replicas only one succeeds. */
export const TAKE_SCHEDULED = statement(
  'chat_take_scheduled',
  `WITH taken AS (DELETE FROM scheduled_messages WHERE id = $1 RETURNING *)
   SELECT w.tenant_id AS "tenantId", t.workspace_id AS "workspaceId", t.conversation_id AS "conversationId", c.type, t.post,
          EXISTS (SELECT FROM users u WHERE u.workspace_id = t.workspace_id AND u.id = t.user_id AND u.deleted_at IS NULL)
          AND (t.app_id IS NULL OR EXISTS (SELECT FROM apps a WHERE a.workspace_id = t.workspace_id AND a.id = t.app_id)) AS "isAlive"
   FROM taken t JOIN workspaces w ON w.id = t.workspace_id JOIN conversations c ON c.id = t.conversation_id`,
);
