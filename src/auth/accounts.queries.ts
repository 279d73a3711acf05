import { statement } from '../kernel/database/statement.js';

/* Hand-written: many accounts in one statement, claims merged in place, and the single read of a login. */

export const INSERT_ACCOUNTS = statement(
  'auth_insert_accounts',
  `INSERT INTO accounts (id, email, password_hash, real_name, claims)
   SELECT id, email, password_hash, real_name, claims FROM jsonb_populate_recordset(NULL::accounts, $1::jsonb)
   ON CONFLICT (email) DO NOTHING RETURNING id`,
);

export const ACCOUNT_BY_EMAIL = statement(
  'auth_account_by_email',
  `SELECT id, password_hash AS "passwordHash", jsonb_strip_nulls(claims) AS claims, deactivated_at IS NOT NULL AS deactivated
   FROM accounts WHERE email = $1`,
);

export const REMEMBER_CLAIMS = statement(
  'auth_remember_claims',
  'UPDATE accounts SET claims = claims || $2::jsonb WHERE id = $1',
);
