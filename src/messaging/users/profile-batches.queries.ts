import { batchStatement } from '../../kernel/database/batch-statement.js';
import { sqlHearingColumns, USER_RULE } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';

/* Hand-written: changes of a whole batch, with their events and deliveries, in one statement. */

/**
 * New profiles. Users are locked in the order of their keys; `changed`: one differs from when its new profile was
 * computed. Events without data are not recorded.
 */
export const PROFILE_BATCH = batchStatement(
  'chat_profile_batch',
  {
    workspace_id: 'text',
    user_id: 'text',
    version: 'text',
    profile: 'text',
    at: 'bigint',
    room: 'text',
    user_change: 'text',
    user_profile_changed: 'text',
    user_status_changed: 'text',
  },
  (req) => `WITH ${req},
   locked AS MATERIALIZED (
     SELECT u.workspace_id, u.id, md5(u::text) AS version FROM users u
     WHERE (u.workspace_id, u.id) IN (SELECT workspace_id, user_id FROM req) ORDER BY u.workspace_id, u.id FOR NO KEY UPDATE),
   judged AS MATERIALIZED (
     SELECT r.*, CASE
         WHEN r.of_user > 1 OR l.version IS DISTINCT FROM r.version THEN 'changed'
         ELSE 'done' END AS outcome
     FROM (SELECT req.*, row_number() OVER (PARTITION BY workspace_id, user_id ORDER BY n) AS of_user FROM req) r
     LEFT JOIN locked l ON l.workspace_id = r.workspace_id AND l.id = r.user_id),
   changed AS (
     UPDATE users u SET profile = j.profile::jsonb, updated_at = greatest(j.at, u.updated_at) FROM judged j
     WHERE j.outcome = 'done' AND u.workspace_id = j.workspace_id AND u.id = j.user_id),
   new_events AS (
     SELECT 3 * j.n + e.place AS n, j.tenant_id, e.kind, j.room, e.data, j.cause, j.shift, NULL::text AS conversation_id, NULL::text AS type,
            ${sqlHearingColumns(USER_RULE)}, NULL::text AS subject_id
     FROM judged j CROSS JOIN LATERAL (VALUES
       (0, 'user_change', j.user_change), (1, 'user_profile_changed', j.user_profile_changed),
       (2, 'user_status_changed', j.user_status_changed)) e (place, kind, data)
     WHERE j.outcome = 'done' AND e.data IS NOT NULL),
   ${recordEvents('new_events')}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);
