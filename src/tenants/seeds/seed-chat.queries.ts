import { statement } from '../../kernel/database/statement.js';
import { insertMessages } from '../../messaging/messages/bulk-messages.queries.js';
import { intoBacklog } from '../../messaging/search/search-backlog.queries.js';
import { USER_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import { TRACKER_USER_ROWS } from '../../tracker/store/rows-to-join.queries.js';

/* Hand-written: joins over both products, and thousands of rows in one statement. */

export const USERS = statement(
  'seed_users',
  `SELECT u.id, u.name, u.is_bot AS "isBot", t.id AS "trackerId" FROM ${USER_ROWS} u
   LEFT JOIN ${TRACKER_USER_ROWS} t ON t.account_id = u.id AND t.organization_id = $2::uuid
   WHERE u.workspace_id = $1`,
);

/** Messages, which are searched later. Parameters: those of `insertMessages`; the workspace. */
export const INSERT_MESSAGES = statement('seed_messages', `WITH ${insertMessages} ${intoBacklog('m', '$13')}`);

/**
 * The refs of a document's messages, issues and webhooks: copies and exports repeat them. A later object with the same
 * ref wins.
 */
export const SAVE_REFS = statement(
  'seed_save_refs',
  `INSERT INTO seed_refs (tenant_id, ref, thing) SELECT $1, r.key, r.value FROM jsonb_each($2::jsonb) r
   ON CONFLICT (tenant_id, ref) DO UPDATE SET thing = excluded.thing`,
);
