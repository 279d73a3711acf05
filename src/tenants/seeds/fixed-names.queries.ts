import { statement } from '../../kernel/database/statement.js';
import { freeTokens, takenHashes as takenInChat } from '../../messaging/provisioning/credentials.queries.js';
import { USER_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import { freeKeys, freeReleaseKeys, takenHashes as takenInTracker } from '../../tracker/credentials.queries.js';
import { TRACKER_USER_ROWS } from '../../tracker/store/rows-to-join.queries.js';

/* Hand-written: many names are looked up at once, in both products. */

/** Documents with a fixed name in common are handled one after the other. Parameter: numbers of locks, ascending. */
export const LOCK = statement(
  'seed_lock_fixed_names',
  'SELECT pg_advisory_xact_lock(7430242, n) FROM unnest($1::integer[]) AS l (n)',
);

/** Hashes of tokens and keys outlive their tenant, so that they answer account_inactive; fixing one anew reuses it. */
export const FREE_TOKENS = statement(
  'seed_free_tokens',
  `WITH tokens_ AS (${freeTokens('$1::text[]')}),
   release_keys AS (${freeReleaseKeys('$1::text[]')})
   ${freeKeys('$1::text[]')}`,
);

/** Accounts of people who are members nowhere any more, with their sessions. */
export const FREE_ACCOUNTS = statement(
  'seed_free_accounts',
  `DELETE FROM accounts a WHERE a.id = ANY($1::text[]) AND a.deactivated_at IS NOT NULL AND a.email IS NULL
     AND NOT EXISTS (SELECT FROM ${USER_ROWS} u WHERE u.id = a.id)
     AND NOT EXISTS (SELECT FROM ${TRACKER_USER_ROWS} u WHERE u.account_id = a.id)`,
);

export const TAKEN_TOKENS = statement(
  'seed_taken_tokens',
  `${takenInChat('$1::text[]')}
   UNION ALL ${takenInTracker('$1::text[]')}`,
);
