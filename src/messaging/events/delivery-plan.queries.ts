import { MAX_NAMED_TARGETS } from '../../kernel/events/event-log.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the statement that records an event also determines its receivers. */

/** The target `t` takes deliveries, or is a socket that is open or has just been. */
const IS_OPEN = '(t.open_until IS NULL OR t.open_until > clock_timestamp())';

/**
 * SQL that queues a delivery for every target that may hear of an event (docs/reference/events.md#who-hears), for a
 * transaction's events and inside the statement that posts a batch of messages alike: it is judged once, in one place,
 * as of the change.
 *
 * `deliveries.identity` is who made the event visible: `<user id>`, then `b` for a bot user and `e` for one that sees
 * e-mail addresses. The bot user is preferred, then users in order of id; of an outgoing webhook it is the creator.
 * @param events a FROM item named `e` with rows of (event_id, tenant_id, kind, conversation_id, type, scope, audience,
 *   named_by_type, conversation_ids, subject_id, app_id), as in ChatFacts
 * @param members a FROM item with who is in which conversation, where the statement itself changes that
 */
export const planDeliveries = (events: string, members = 'members'): string => `
  INSERT INTO deliveries (target_id, event_id, identity)
  SELECT t.id, e.event_id, who.identity
  FROM ${events}
  JOIN event_targets t ON t.tenant_id = e.tenant_id AND e.kind = ANY(t.kinds)
   AND (t.conversation_id IS NULL OR t.conversation_id = e.conversation_id)
   AND (t.message_types IS NULL OR NOT e.named_by_type OR e.type = ANY(t.message_types))
   AND (e.audience <> 'app' OR t.app_id = e.app_id)
   AND ${IS_OPEN}
  JOIN delivery_targets d ON d.id = t.id AND d.enabled
  CROSS JOIN LATERAL (
    SELECT i.user_id || CASE WHEN i.rank = 1 THEN 'b' ELSE '' END || CASE WHEN i.email THEN 'e' ELSE '' END AS identity
    FROM (
      SELECT t.creator_id AS user_id, 0 AS rank, true AS email, e.type = 'public' AS sees
        FROM users u WHERE t.app_id IS NULL AND t.scoped_app_id IS NULL AND u.workspace_id = t.workspace_id AND u.id = t.creator_id AND u.deleted_at IS NULL
      UNION ALL
      SELECT a.bot_user_id, 1, 'users:read.email' = ANY(a.bot_scopes), false
        FROM apps a WHERE a.workspace_id = t.workspace_id AND a.id = coalesce(t.app_id, t.scoped_app_id)
         AND (e.scope IS NULL OR e.scope = ANY(a.bot_scopes)) AND (a.bot_state = 'live' OR e.kind IN ('app_uninstalled', 'tokens_revoked'))
      UNION ALL
      SELECT k.user_id, 2, bool_or('users:read.email' = ANY(k.scopes)), false
        FROM tokens k JOIN users u ON u.workspace_id = k.workspace_id AND u.id = k.user_id AND u.deleted_at IS NULL
       WHERE k.app_id = coalesce(t.app_id, t.scoped_app_id) AND k.workspace_id = t.workspace_id AND k.kind = 'user' AND k.revoked_at IS NULL AND (e.scope IS NULL OR e.scope = ANY(k.scopes))
       GROUP BY k.user_id
    ) i
    WHERE e.audience IN ('everyone', 'app') OR i.user_id = e.subject_id
       OR (e.audience = 'members' AND (i.sees OR t.app_id = e.app_id OR EXISTS (
             SELECT FROM ${members} m WHERE m.conversation_id = ANY(e.conversation_ids) AND m.user_id = i.user_id)))
    ORDER BY i.rank, i.user_id LIMIT 1) who
  ORDER BY e.event_id`;

/**
 * Parts of a statement that record events and queue their deliveries, where `numbered`, `recorded` and `planned` are theirs.
 * @param newEvents an earlier part with a row for each event in the order of `n`: (n, tenant_id, kind, room, data, cause, shift, draw,
 *   conversation_id, type, scope, audience, named_by_type, subject_id), as in ChatFacts
 * @param members as of `planDeliveries`
 */
export const recordEvents = (newEvents: string, members?: string): string => `
   numbered AS MATERIALIZED (
     SELECT nextval('events_id_seq') AS event_id, sorted.* FROM (SELECT * FROM ${newEvents} ORDER BY n) sorted),
   recorded AS (
     INSERT INTO events (id, tenant_id, product, kind, room, data, cause, clock, draw) OVERRIDING SYSTEM VALUE
     SELECT event_id, tenant_id, 'chat', kind, room, data, cause, shift, draw FROM numbered),
   planned AS (${planDeliveries(
     `(
     SELECT event_id, tenant_id, kind, conversation_id, type, scope, audience, named_by_type, ARRAY[conversation_id] AS conversation_ids,
            subject_id, NULL::text AS app_id FROM numbered) e`,
     members,
   )} RETURNING target_id)`;

/** For whom deliveries were `planned`, as far as they are named. */
export const QUEUED_FOR = `SELECT DISTINCT target_id FROM planned LIMIT ${MAX_NAMED_TARGETS + 1}`;

export const PLAN_DELIVERIES = statement(
  'chat_plan_deliveries',
  `WITH planned AS (${planDeliveries(`(
    SELECT r.*, coalesce(string_to_array(r.places, ','), ARRAY[r.conversation_id]) AS conversation_ids
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::boolean[])
      AS r (event_id, tenant_id, kind, conversation_id, type, scope, audience, places, subject_id, app_id, named_by_type)) e`)} RETURNING target_id)
   ${QUEUED_FOR}`,
);

/** The same as a column of a batch's answer, in the first row of `req` (`BatchedRow`). */
export const QUEUED_OF_BATCH = `CASE WHEN r.n = (SELECT min(n) FROM req) THEN ARRAY(${QUEUED_FOR}) END AS queued`;
