import { statement } from '../kernel/database/statement.js';

/* Hand-written: one statement reads and deletes a link, so that it works once. */

/** Deletes the used link, so that it works once. */
export const REDEEM_LINK = statement(
  'auth_redeem_link',
  `DELETE FROM sign_in_links WHERE key_hash = $1
   RETURNING account_id AS "accountId", team_id AS "teamId", claims, target, expires_at > $2 AS valid`,
);

export const SWEEP_BATCH = 1_000;

export const SWEEP_LINKS = statement(
  'auth_sweep_links',
  `DELETE FROM sign_in_links
   WHERE key_hash IN (SELECT key_hash FROM sign_in_links WHERE expires_at <= $1 LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);
