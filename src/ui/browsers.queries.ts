import { statement } from '../kernel/database/statement.js';

/*
 * Hand-written: a browser, its sign-ins and their sessions change together in one statement. Tables of other rooms:
 * organizations, tracker_users, users, workspaces. A sign-in is shown with its person in both products, in the one
 * statement of each page.
 */

/**
 * The account, workspace and organization of a sign-in, for rows (account_id, team_id) of `s`; deleted people and
 * workspaces yield no row. The organization's claim is its 16 bytes as base64url, as in every access token.
 */
const SHOWN = `
  SELECT s.sid, s.account_id AS "accountId", s.team_id AS "teamId", s.claims, s.used_at AS "usedAt",
         w.name AS "teamName", w.domain, u.name, coalesce(u.profile ->> 'real_name', '') AS "realName", u.email,
         CASE u.role WHEN 'primary_owner' THEN 'owner' ELSE u.role END AS role,
         (SELECT rtrim(translate(encode(uuid_send(o.id), 'base64'), '+/', '-_'), '=')
          FROM organizations o JOIN tracker_users t ON t.organization_id = o.id AND t.account_id = s.account_id
          WHERE o.tenant_id = w.tenant_id LIMIT 1) AS org,
         sb.id AS "sandboxId", sb.methods, sb.id_key AS "idKey"
  FROM signed s
  JOIN workspaces w ON w.id = s.team_id AND w.deleted_at IS NULL
  JOIN users u ON u.workspace_id = w.id AND u.id = s.account_id AND u.deleted_at IS NULL
  LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
  ORDER BY s.used_at DESC, s.team_id`;

export const SIGN_INS = statement(
  'ui_sign_ins',
  `WITH signed AS (
     SELECT b.sid, b.account_id, b.team_id, b.used_at, se.claims
     FROM browser_sign_ins b JOIN browsers r ON r.secret_hash = b.secret_hash AND r.used_at > $2
     JOIN sessions se ON se.sid = b.sid AND se.ended_at IS NULL
     JOIN accounts a ON a.id = b.account_id AND a.deactivated_at IS NULL
     WHERE b.secret_hash = $1)
   ${SHOWN}`,
);

/** Extends the browser, and the sign-in that is used, by thirty days. */
export const USED = statement(
  'ui_browser_used',
  `WITH b AS (UPDATE browsers SET used_at = $3 WHERE secret_hash = $1),
     s AS (UPDATE sessions SET refresh_expires_at = $4
           WHERE sid IN (SELECT sid FROM browser_sign_ins WHERE secret_hash = $1) AND ended_at IS NULL)
   UPDATE browser_sign_ins SET used_at = $3 WHERE secret_hash = $1 AND sid = $2`,
);

export const REMEMBER_BROWSER = statement(
  'ui_remember_browser',
  `INSERT INTO browsers (secret_hash, used_at) VALUES ($1, $2) ON CONFLICT (secret_hash) DO UPDATE SET used_at = $2`,
);

/** A new sign-in of the same person in the same workspace replaces the session of the earlier one. */
export const ADD_SIGN_IN = statement(
  'ui_add_sign_in',
  `INSERT INTO browser_sign_ins (secret_hash, sid, account_id, team_id, used_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (secret_hash, account_id, team_id) DO UPDATE SET sid = excluded.sid, used_at = excluded.used_at`,
);

/** Signs out all but the newest. Returns the sessions that no browser holds any more. */
export const KEEP_NEWEST = statement(
  'ui_keep_newest',
  `DELETE FROM browser_sign_ins WHERE secret_hash = $1 AND sid IN (
     SELECT sid FROM browser_sign_ins WHERE secret_hash = $1 ORDER BY used_at DESC OFFSET $2)
   RETURNING sid, account_id AS "accountId"`,
);

/** Turns a session that began with a password into a browser's session. */
export const ADOPT_SESSION = statement(
  'ui_adopt_session',
  `UPDATE sessions SET refresh_hash = NULL, refresh_expires_at = $2, claims = claims || '{"ui": 1}' WHERE sid = $1`,
);

export const FORGET = statement(
  'ui_forget_sign_ins',
  `DELETE FROM browser_sign_ins WHERE secret_hash = $1 AND ($2::text IS NULL OR team_id = $2)
   RETURNING sid, account_id AS "accountId"`,
);

export const SWEEP_BATCH = 1_000;

export const SWEEP = statement(
  'ui_sweep_browsers',
  `DELETE FROM browsers
   WHERE secret_hash IN (SELECT secret_hash FROM browsers WHERE used_at < $1 LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);

export interface SignInRow extends Record<string, unknown> {
  sid: string;
  accountId: string;
  teamId: string;
  claims: Record<string, unknown>;
  teamName: string;
  domain: string;
  name: string;
  realName: string;
  email: string | null;
  role: string;
  org: string | null;
  sandboxId: string | null;
  /** Null: the server's default lifetime. */
  methods: 'core' | 'all' | null;
  /** What tells its people's ids from the stored ones; null: they are the same. */
  idKey: number | null;
}
