import { statement } from '../../kernel/database/statement.js';

/* Hand-written: seats and held deliveries are judged under their locks, by the server's clock. */

// leases, tickets and limits use the store's real clock: they protect the server

export const INSERT_TICKET = statement(
  'chat_socket_insert_ticket',
  `WITH over AS (DELETE FROM socket_tickets WHERE expires_at < clock_timestamp() - interval '1 minute')
   INSERT INTO socket_tickets (hash, app_id, workspace_id, tenant_id, token_hash, expires_at)
   VALUES ($1, $2, $3, $4, $5, clock_timestamp() + interval '30 seconds')`,
);

/**
 * One use: the row is the ticket. $2: the app that the request names, or null; in a sandbox with ids of its own it is
 * compared afterwards.
 */
export const REDEEM_TICKET = statement(
  'chat_socket_redeem_ticket',
  `DELETE FROM socket_tickets t USING sandboxes sb
   WHERE t.hash = $1 AND t.expires_at > clock_timestamp() AND sb.tenant_id = t.tenant_id
     AND ($2::text IS NULL OR t.app_id = $2 OR sb.id_key IS NOT NULL)
   RETURNING t.app_id AS "appId", t.workspace_id AS "workspaceId", t.tenant_id AS "tenantId", t.token_hash AS "tokenHash",
     sb.id_key AS "idKey"`,
);
export interface Ticket extends Record<string, unknown> {
  appId: string;
  workspaceId: string;
  tenantId: number;
  tokenHash: string;
  idKey: number | null;
}

/** Serialises counting and inserting for one app. */
export const LOCK_APP = statement(
  'chat_socket_lock_app',
  `SELECT socket_mode AS "socketMode", creator_id AS "creatorId" FROM apps WHERE id = $1 AND home_id IS NULL FOR NO KEY UPDATE`,
);

/** No row when the app has reached its limit of connections ($7); else their number. */
export const INSERT_CONNECTION = statement(
  'chat_socket_insert_connection',
  `WITH open AS (
     SELECT count(*)::int AS n FROM socket_connections WHERE app_id = $2 AND lease_until > clock_timestamp())
   INSERT INTO socket_connections (id, app_id, workspace_id, tenant_id, token_hash, replica, lease_until)
   SELECT $1, $2, $3, $4, $5, $6, clock_timestamp() + interval '10 seconds' FROM open WHERE n < $7
   RETURNING (SELECT n + 1 FROM open) AS connections`,
);

/** The app's socket targets, which get events from now on. $2: for how many seconds also without a connection. */
export const OPEN_TARGETS = statement(
  'chat_socket_open_targets',
  `UPDATE event_targets SET open_until = CASE WHEN open_until IS NULL THEN NULL
          ELSE clock_timestamp() + ($2::int + 10) * interval '1 second' END
    WHERE app_id = $1 AND is_socket RETURNING id`,
);

/** How many events wait for the first connection of an app. */
export const HELD = statement(
  'chat_socket_held',
  'SELECT count(*)::int AS count FROM deliveries WHERE target_id = ANY($1::text[]) AND attempt = 0',
);

export const RENEW_CONNECTIONS = statement(
  'chat_socket_renew',
  `WITH renewed AS (
     UPDATE socket_connections SET lease_until = clock_timestamp() + interval '10 seconds' WHERE id = ANY($1::text[])
     RETURNING app_id),
   lapsed AS (DELETE FROM socket_connections WHERE lease_until < clock_timestamp() - interval '1 minute')
   UPDATE event_targets SET open_until = clock_timestamp() + ($2::int + 10) * interval '1 second'
    WHERE app_id IN (SELECT app_id FROM renewed) AND is_socket AND open_until IS NOT NULL`,
  { keeps: 'everything' },
);

/**
 * Those of these connections whose token, app and workspace are still valid, with the targets for which their app's
 * events are queued, one in each workspace: another manifest, or a reset, makes a new one.
 */
export const LIVE_CONNECTIONS = statement(
  'chat_socket_live',
  `SELECT c.id, c.app_id AS "appId",
          ARRAY(SELECT s.id FROM event_targets s WHERE s.app_id = c.app_id AND s.is_socket) AS "targetIds"
     FROM socket_connections c
     JOIN tokens t ON t.hash = c.token_hash AND t.revoked_at IS NULL
     JOIN apps a ON a.workspace_id = c.workspace_id AND a.id = c.app_id
     JOIN workspaces w ON w.id = c.workspace_id AND w.deleted_at IS NULL
    WHERE c.id = ANY($1::text[])`,
);

export const DELETE_CONNECTIONS = statement(
  'chat_socket_delete_connections',
  `WITH gone AS (DELETE FROM socket_connections WHERE id = ANY($1::text[]) RETURNING app_id)
   UPDATE event_targets t SET open_until = clock_timestamp() + $2::int * interval '1 second'
    WHERE t.app_id IN (SELECT app_id FROM gone) AND t.is_socket AND t.open_until IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM socket_connections c WHERE c.app_id = t.app_id AND c.id <> ALL($1::text[])
                        AND c.lease_until > clock_timestamp())`,
);

/** Those of a tenant ($1) in which ids mean something else after a reset. */
export const CUT_CONNECTIONS = statement(
  'chat_socket_cut_connections',
  `DELETE FROM socket_connections c USING sandboxes s
    WHERE s.tenant_id = $1 AND s.deterministic AND c.tenant_id = s.tenant_id RETURNING c.id`,
);

/** Whether an app is connected anywhere, and at other replicas than $2. */
export const CONNECTED = statement(
  'chat_socket_connected',
  `SELECT count(*) > 0 AS anywhere, coalesce(bool_or(replica <> $2), false) AS elsewhere
     FROM socket_connections WHERE app_id = $1 AND lease_until > clock_timestamp()`,
);

/**
 * Events that waited for a connection longer than they may, by their sandbox's clock ($1 seconds, shared time offset
 * $2), of one app ($4) or of all.
 */
export const DROP_HELD = statement(
  'chat_socket_drop_held',
  `DELETE FROM deliveries d USING delivery_targets t, event_targets s, events e
    WHERE t.product = $3 AND d.target_id = t.id AND s.id = t.id AND e.id = d.event_id
      AND ($4::text IS NULL OR s.app_id = $4)
      AND sandbox_moment(e.recorded_at, e.clock) < (
        SELECT sandbox_moment(clock_timestamp() + $2::bigint * interval '1 microsecond', sandbox_shift(b.clock_offset, b.clock_frozen_at))
          FROM sandboxes b WHERE b.tenant_id = t.tenant_id) - $1::int * interval '1 second'
      AND NOT EXISTS (SELECT 1 FROM socket_connections c WHERE c.app_id = s.app_id AND c.lease_until > clock_timestamp())
   RETURNING d.id`,
  { keeps: 'everything' },
);

export const SETTLE = statement(
  'chat_socket_settle',
  `DELETE FROM deliveries WHERE id = $1 AND target_id IN (SELECT id FROM event_targets WHERE app_id = $2 AND is_socket)
   RETURNING id`,
  { keeps: 'everything' },
);

/** A request that is sent at once ($6) stores no body ($5), only a place for its answer. */
export const INSERT_REQUEST = statement(
  'chat_socket_insert_request',
  `INSERT INTO socket_requests (id, app_id, tenant_id, body, deadline, claimed_by)
   VALUES ($1, $2, $3, $5, clock_timestamp() + $4::int * interval '1 millisecond', $6)`,
);

/** Requests for apps of this replica that are not being sent yet. */
export const CLAIM_REQUESTS = statement(
  'chat_socket_claim_requests',
  `WITH free AS (
     SELECT id FROM socket_requests WHERE app_id = ANY($1::text[]) AND claimed_by IS NULL AND deadline > clock_timestamp()
      ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED)
   UPDATE socket_requests r SET claimed_by = $2 FROM free WHERE r.id = free.id
   RETURNING r.id, r.app_id AS "appId", r.body`,
  { keeps: 'everything' },
);

export const ANSWER_REQUEST = statement(
  'chat_socket_answer_request',
  `UPDATE socket_requests SET answer = $3, answered = true
    WHERE id = $1 AND app_id = $2 AND NOT answered AND deadline > clock_timestamp() RETURNING id`,
);

export const ANSWERED_REQUESTS = statement(
  'chat_socket_answered_requests',
  `SELECT id, answer FROM socket_requests WHERE id = ANY($1::text[]) AND answered`,
);

export const DELETE_REQUESTS = statement(
  'chat_socket_delete_requests',
  `DELETE FROM socket_requests WHERE deadline < clock_timestamp() - interval '1 minute'`,
  { keeps: 'everything' },
);
