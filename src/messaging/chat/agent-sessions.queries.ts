import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: who hears of an event is a question to its targets, and sessions end in sets. */

/** Whether an app ($1 workspace, $2 app) gets a kind of event ($3) now. */
export const HEARS_KIND = statement(
  'agents_hears',
  `SELECT FROM event_targets t JOIN delivery_targets d ON d.id = t.id AND d.enabled
   WHERE t.workspace_id = $1 AND t.app_id = $2 AND $3 = ANY(t.kinds)
     AND (t.open_until IS NULL OR t.open_until > clock_timestamp()) LIMIT 1`,
);

/** Sessions in which an agent has worked for too long, by their sandboxes' clocks. $1: the clock's offset in real time. */
export const OVERDUE_SESSIONS = statement(
  'agents_overdue',
  `SELECT s.conversation_id AS "conversationId", s.thread_ts AS "threadTs", b.flags
   FROM agent_sessions s JOIN workspaces w ON w.id = s.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes b ON b.tenant_id = w.tenant_id
   WHERE s.expires_at <= coalesce(b.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(b.clock_offset, 0))
   ORDER BY s.expires_at LIMIT 100`,
);

/** The soonest end of an agent's work in a tenant's ($1) sessions, in microseconds. */
export const NEXT_SESSION_END = statement(
  'agents_next_end',
  `SELECT min(s.expires_at)::float8 AS at FROM workspaces w JOIN agent_sessions s ON s.workspace_id = w.id
   WHERE w.tenant_id = $1 AND s.expires_at IS NOT NULL`,
);

/** Sessions of the conversations that a person ($1 workspace, $2 user) is in, the newest first. */
export const SESSIONS_OF_USER = statement(
  'agents_sessions_of_user',
  `SELECT s.conversation_id AS "conversationId", s.thread_ts AS "threadTs", s.title, s.statuses
   FROM members m JOIN agent_sessions s ON s.conversation_id = m.conversation_id AND s.workspace_id = $1
   WHERE m.user_id = $2 ORDER BY s.thread_ts DESC LIMIT 100`,
);
