import { statement } from '../../kernel/database/statement.js';
import { isWorkspaceOf } from '../../tenants/both-products.queries.js';
import type { InboxAnswer } from './inbox.js';

/* Hand-written: a request takes its turn and its number by one statement. */

export interface InboxRow extends Record<string, unknown> {
  id: string;
  name: string | null;
  secret: string;
  answers: InboxAnswer[];
  challenge: boolean;
  served: number;
  created_at: Date;
}

const INBOX = 'id, name, secret, answers, challenge, served::float8 AS served, created_at';

/** Inserts nothing if the sandbox has reached its limit ($7); run one by one. */
export const INSERT_INBOX = statement(
  'sandbox_insert_inbox',
  `INSERT INTO inboxes (id, tenant_id, name, secret, answers, challenge)
   SELECT $1, tenant_id, $3, $4, $5, $6 FROM sandboxes
    WHERE tenant_id = $2 AND (SELECT count(*) FROM inboxes WHERE tenant_id = $2) < $7
   RETURNING ${INBOX}`,
);

export const INBOXES = statement(
  'sandbox_inboxes',
  `SELECT ${INBOX} FROM inboxes WHERE tenant_id = $1 AND ($2::text IS NULL OR id = $2) ORDER BY place`,
);

export const DELETE_INBOXES = statement(
  'sandbox_delete_inboxes',
  'DELETE FROM inboxes WHERE tenant_id = $1 AND ($2::text IS NULL OR id = $2) RETURNING id',
);

export interface FoundInbox extends Record<string, unknown> {
  id: string;
  tenant_id: number;
  name: string | null;
  challenge: boolean;
  id_key: number | null;
}

/** Only of the sender's own sandbox, if $2 or $3 names it. */
export const FIND_INBOX = statement(
  'sandbox_find_inbox',
  `SELECT i.id, i.tenant_id::float8 AS tenant_id, i.name, i.challenge, sb.id_key
     FROM inboxes i JOIN tenants t ON t.id = i.tenant_id AND t.deleted_at IS NULL
     JOIN sandboxes sb ON sb.tenant_id = i.tenant_id
    WHERE i.secret = $1 AND ($2::bigint IS NULL OR i.tenant_id = $2)
      AND ($3::text IS NULL OR ${isWorkspaceOf('$3', 'i.tenant_id')})`,
);

/** The next answer in turn. */
export const TAKE_TURN = statement(
  'sandbox_inbox_turn',
  `UPDATE inboxes SET served = served + 1 WHERE id = $1
   RETURNING answers -> (least(served - 1, jsonb_array_length(answers) - 1))::int AS answer`,
);
