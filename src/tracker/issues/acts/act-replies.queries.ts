import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: a page of the event log, polled while an act is awaited, and keys of sessions. */

export interface ReplyRow extends Record<string, unknown> {
  readonly kind: string;
  readonly data: string;
  readonly at: number;
}

/** Comments and activities that were written in a tenant ($1) after an event ($2). */
export const REPLIES_AFTER = statement(
  'tracker_act_replies',
  `SELECT e.kind, e.data, (extract(epoch FROM e.recorded_at) * 1000)::float8 AS at FROM events e
   WHERE e.tenant_id = $1 AND e.id > $2 AND e.product = 'tracker' AND e.kind IN ('comment.created', 'agentActivity.created')
   ORDER BY e.id LIMIT 2000`,
);

/** Which of these users ($2) of an organization ($1) are those of applications. */
export const APP_USERS_AMONG = statement(
  'tracker_act_app_users',
  `SELECT id FROM tracker_users WHERE organization_id = $1::uuid AND id = ANY($2::uuid[]) AND application_id IS NOT NULL`,
);

/** The sessions of an issue ($1), the newest first. */
export const SESSIONS_OF_ISSUE = statement(
  'tracker_act_sessions',
  'SELECT id FROM tracker_agent_sessions WHERE issue_id = $1::uuid ORDER BY created_at DESC, id DESC',
);

/** The session that a comment ($1) has begun or prompted. */
export const SESSION_ASKED = statement(
  'tracker_act_session_asked',
  `SELECT s.id FROM tracker_agent_sessions s
   WHERE s.comment_id = $1::uuid OR s.source_comment_id = $1::uuid
      OR s.id IN (SELECT a.agent_session_id FROM tracker_agent_activities a WHERE a.source_comment_id = $1::uuid)
   ORDER BY s.created_at DESC, s.id DESC LIMIT 1`,
);
