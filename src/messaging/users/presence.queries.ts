import { batchStatement } from '../../kernel/database/batch-statement.js';
import { PRESENCE_RULE } from '../events/chat-events.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';

/* Hand-written: changes of a whole batch, with their events and deliveries, in one statement. */

/** Users are locked in the order of their keys. `same`: unchanged, so no event is recorded. */
export const PRESENCE_BATCH = batchStatement(
  'chat_presence_batch',
  { workspace_id: 'text', user_id: 'text', presence: 'text', room: 'text', data: 'text' },
  (req) => `WITH ${req},
   locked AS MATERIALIZED (
     SELECT u.workspace_id, u.id, u.presence FROM users u
     WHERE (u.workspace_id, u.id) IN (SELECT workspace_id, user_id FROM req) ORDER BY u.workspace_id, u.id FOR NO KEY UPDATE),
   judged AS MATERIALIZED (
     SELECT r.*, CASE
         WHEN r.of_user > 1 THEN 'again'
         WHEN l.presence <> r.presence THEN 'done'
         ELSE 'same' END AS outcome
     FROM (SELECT req.*, row_number() OVER (PARTITION BY workspace_id, user_id ORDER BY n) AS of_user FROM req) r
     LEFT JOIN locked l ON l.workspace_id = r.workspace_id AND l.id = r.user_id),
   changed AS (
     UPDATE users u SET presence = j.presence FROM judged j
     WHERE j.outcome = 'done' AND u.workspace_id = j.workspace_id AND u.id = j.user_id),
   new_events AS (
     SELECT n, tenant_id, 'presence_change' AS kind, room, data, cause, shift, NULL::text AS conversation_id, NULL::text AS type,
            ${sqlHearingColumns(PRESENCE_RULE)}, NULL::text AS subject_id
     FROM judged WHERE outcome = 'done'),
   ${recordEvents('new_events')}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);
