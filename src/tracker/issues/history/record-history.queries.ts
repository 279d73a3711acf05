import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: the entries of a mutation are one statement, as changing issues is a hot path. */
export const INSERT_HISTORY = statement(
  'tracker_insert_issue_history',
  `INSERT INTO issue_history (id, organization_id, issue_id, actor_id, changes, created_at, updated_at)
   SELECT e.id, $2::uuid, e.issue, $3::uuid, e.changes, $4::timestamptz, $4::timestamptz
   FROM jsonb_to_recordset($1::jsonb) AS e (id uuid, issue uuid, changes jsonb)`,
);
export const ADD_TO_HISTORY = statement(
  'tracker_add_to_issue_history',
  `UPDATE issue_history SET changes = $2::jsonb WHERE id = $1::uuid`,
);
