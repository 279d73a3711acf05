import { statement } from '../kernel/database/statement.js';

/* Hand-written: each step of a session is one statement, so that the row decides a race. */

/** The parameters are those of `Sessions.prepare`, in order. */
export const insertSessions = (sids: string, accounts: string, claims: string, over: string, via: string): string =>
  `INSERT INTO sessions (sid, account_id, claims, over_at, via)
   SELECT sid, account_id, ${claims}::jsonb, ${over}::timestamptz, ${via}
   FROM unnest(${sids}::text[], ${accounts}::text[]) AS s (sid, account_id)`;

export const INSERT_SESSIONS = statement('auth_insert_sessions', insertSessions('$1', '$2', '$3', '$4', '$5'));

/**
 * The session of a refresh token, spent or not. `again`: it was used so recently that the answer may be lost, and
 * nothing shows that a client got it.
 */
export const HOLDER_OF_REFRESH_TOKEN = statement(
  'auth_holder_of_refresh_token',
  `SELECT s.sid, s.account_id AS "accountId", jsonb_strip_nulls(s.claims || a.claims) AS claims, t.hash IS NOT NULL AS spent,
          s.ended_at IS NULL AND a.deactivated_at IS NULL
            AND CASE WHEN t.hash IS NULL THEN s.refresh_expires_at > $2
                     ELSE NOT t.delivered AND t.spent_at > $3 END AS good
   FROM (SELECT sid, NULL AS hash FROM sessions WHERE refresh_hash = $1
         UNION ALL SELECT sid, hash FROM spent_refresh_tokens WHERE hash = $1) h
   JOIN sessions s ON s.sid = h.sid JOIN accounts a ON a.id = s.account_id
   LEFT JOIN spent_refresh_tokens t ON t.hash = h.hash`,
);

/** The hash in the row decides a race: the second statement finds another one there. */
export const ROTATE_REFRESH_TOKEN = statement(
  'auth_rotate_refresh_token',
  `WITH rotated AS (
     UPDATE sessions s SET refresh_hash = $2, refresh_expires_at = $3, over_at = $3
     FROM accounts a
     WHERE s.refresh_hash = $1 AND s.ended_at IS NULL AND s.refresh_expires_at > $4 AND a.id = s.account_id
       AND a.deactivated_at IS NULL
     RETURNING s.sid, s.account_id, s.claims || a.claims AS claims),
   spent AS (INSERT INTO spent_refresh_tokens (hash, sid, spent_at) SELECT $1, sid, $4 FROM rotated)
   SELECT sid FROM rotated`,
);

export const END_SESSION_OF_SPENT_TOKEN = statement(
  'auth_end_session_of_spent_token',
  `UPDATE sessions SET ended_at = now(), refresh_hash = NULL
   WHERE sid = (SELECT sid FROM spent_refresh_tokens WHERE hash = $1) AND ended_at IS NULL RETURNING sid`,
);

export const END_SESSION = statement(
  'auth_end_session',
  `WITH ended AS (
     UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE sid = $1 AND account_id = $2 AND ended_at IS NULL
     RETURNING sid),
   with_it AS (
     UPDATE sessions SET ended_at = now(), refresh_hash = NULL WHERE via IN (SELECT sid FROM ended) AND ended_at IS NULL)
   SELECT sid FROM ended`,
);

export const SWEEP_BATCH = 1_000;

/** Any constant will do that no other lock of ours uses: one replica sweeps. */
export const SWEEP_LOCK = statement('auth_sweep_lock', 'SELECT pg_try_advisory_xact_lock(7430232) AS mine');

/** Nothing issued for these can be valid any more: the refresh token has expired, access tokens long ago. */
export const SWEEP_SESSIONS = statement(
  'auth_sweep_sessions',
  `DELETE FROM sessions WHERE sid IN (
     SELECT sid FROM sessions WHERE over_at < $1 ORDER BY over_at, sid LIMIT ${SWEEP_BATCH} FOR UPDATE)
   RETURNING 1`,
);
