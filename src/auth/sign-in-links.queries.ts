import { statement } from '../kernel/database/statement.js';

/* By hand: a link is deleted and read by one statement, so that it works once. */

export const INSERT_LINK = statement(
  'auth_insert_link',
  `INSERT INTO sign_in_links (key_hash, account_id, team_id, claims, target, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
);

/** Deletes the link that is used, so that it works once. */
export const REDEEM_LINK = statement(
  'auth_redeem_link',
  `DELETE FROM sign_in_links WHERE key_hash = $1
   RETURNING account_id AS "accountId", team_id AS "teamId", claims, target, expires_at > $2 AS valid`,
);

export const SWEPT_AT_ONCE = 1_000;

export const SWEEP_LINKS = statement(
  'auth_sweep_links',
  `DELETE FROM sign_in_links
   WHERE key_hash IN (SELECT key_hash FROM sign_in_links WHERE expires_at <= $1 LIMIT ${SWEPT_AT_ONCE}) RETURNING 1`,
);
