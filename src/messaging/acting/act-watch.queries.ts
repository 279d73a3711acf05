import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: pages of the event log and its deliveries, polled while an act is awaited. Tables of other rooms:
 * tracker_webhooks. What an act set off is shown of both products at once.
 */

/** The end of the log now, by the store's real clock. */
export const LOG_END = statement(
  'act_log_end',
  'SELECT coalesce((SELECT max(id) FROM events), 0) AS after, clock_timestamp() AS since',
);

export interface DeliveryOfAct {
  [column: string]: unknown;
  key: string;
  app_id: string | null;
  kind: string;
  product: string | null;
  transport: string | null;
  outcome: string | null;
  status_code: number | null;
  error: string | null;
  ms: number | null;
  /** Of webhooks of the tracker: where they go, and the end of the event, which names its type. */
  url: string | null;
  tail: string | null;
}

/** Deliveries to apps and to webhooks of the tracker of the events that a request caused, and the last attempt of each. */
export const DELIVERIES_OF_ACT = statement(
  'act_deliveries',
  `WITH mine AS MATERIALIZED (
     SELECT id, kind, recorded_at, CASE WHEN product = 'tracker' THEN right(data, 120) END AS tail FROM events WHERE tenant_id = $1 AND id > $2 AND cause = $3 ORDER BY id LIMIT 500),
   planned AS (
     SELECT m.id, d.target_id FROM mine m JOIN deliveries d ON d.event_id = m.id
     UNION
     SELECT m.id, l.target_id FROM mine m JOIN app_deliveries l ON l.event_id = m.id)
   SELECT p.id || ' ' || p.target_id AS key, coalesce(t.app_id, h.application_id::text) AS app_id, m.kind, m.tail, h.url, e.product, l.transport, l.outcome, l.status_code, l.error,
          greatest(0, round(extract(epoch FROM l.at - m.recorded_at) * 1000))::int AS ms
   FROM planned p JOIN mine m ON m.id = p.id
   LEFT JOIN event_targets t ON t.id = p.target_id AND t.app_id IS NOT NULL
   LEFT JOIN delivery_targets e ON e.id = p.target_id
   LEFT JOIN tracker_webhooks h ON h.id = CASE WHEN e.product = 'tracker' THEN p.target_id::uuid END
   LEFT JOIN LATERAL (
     SELECT * FROM app_deliveries a WHERE a.event_id = p.id AND a.target_id = p.target_id ORDER BY a.id DESC LIMIT 1) l ON true
   WHERE t.id IS NOT NULL OR h.id IS NOT NULL
   ORDER BY p.id, p.target_id`,
);

export interface EventAfter {
  [column: string]: unknown;
  kind: string;
  room: string;
  data: string;
  at: number;
}

/** Later events that the person can see: in one conversation, in their ims, and ephemeral ones. */
export const EVENTS_AFTER = statement(
  'act_events_after',
  `SELECT e.kind, e.room, e.data, (extract(epoch FROM e.recorded_at) * 1000)::float8 AS at
   FROM events e
   WHERE e.tenant_id = $1 AND e.id > $2 AND e.product = 'chat' AND e.kind IN ('message', 'reaction_added', 'reaction_removed')
     AND (e.room = 'conversation:' || $3::text OR e.room = 'user:' || $4::text OR e.room IN (
       SELECT 'conversation:' || c.id FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.type = 'im'
       WHERE m.user_id = $4 AND c.workspace_id = $5))
   ORDER BY e.id LIMIT 2000`,
);

/** When the first event of a request was written. */
export const ACTED_AT = statement(
  'act_acted_at',
  `SELECT (extract(epoch FROM min(recorded_at)) * 1000)::float8 AS at FROM events WHERE tenant_id = $1 AND id > $2 AND cause = $3`,
);
