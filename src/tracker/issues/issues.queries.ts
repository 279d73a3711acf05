import { storedColumns } from '../../kernel/database/columns.js';
import type { Db, Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Issue } from './issue.entity.js';

/* Hand-written: creating and changing issues is the hot path of the tracker, and dependent rows change as sets. */

/** The table's columns as those of a JSON record with the row's properties. */
const stored = [...storedColumns(Issue)];
const RECORD = stored.map(([name, { cast }]) => `"${name}" ${cast}`).join(', ');

/**
 * New issues with their dependent rows: the teams' counters, which are locked already; the time their labels were last
 * applied, in the order of ids like other locks on labels; and subscribers.
 */
export const INSERT_ISSUES = statement(
  'tracker_insert_issues',
  `WITH counters AS (
     UPDATE teams t SET issue_counter = c.counter FROM unnest($2::uuid[], $3::int[]) AS c (id, counter) WHERE t.id = c.id),
   labels AS (
     UPDATE issue_labels l SET last_applied_at = $5::timestamptz
     FROM (SELECT x.id FROM issue_labels x WHERE x.id = ANY($4::uuid[]) ORDER BY x.id FOR NO KEY UPDATE) held
     WHERE l.id = held.id),
   subscribers AS (
     INSERT INTO issue_subscribers (issue_id, user_id) SELECT * FROM unnest($6::uuid[], $7::uuid[]))
   INSERT INTO issues (${stored.map(([, { column }]) => column).join(', ')})
   SELECT ${stored.map(([name]) => `r."${name}"`).join(', ')} FROM json_to_recordset($1::json) AS r (${RECORD})`,
);

const QUEUE_REPARENTING = statement(
  'tracker_queue_reparenting',
  `SELECT pg_advisory_xact_lock(hashtextextended('tracker sub-issues ' || $1, 0))`,
);
const SET_SUBSCRIBERS = statement(
  'tracker_set_subscribers',
  `WITH gone AS (DELETE FROM issue_subscribers WHERE issue_id = $1::uuid AND user_id <> ALL($2::uuid[]))
   INSERT INTO issue_subscribers (issue_id, user_id) SELECT $1::uuid, u.id FROM unnest($2::uuid[]) AS u (id)
   ON CONFLICT DO NOTHING`,
);
const LABELS_APPLIED = statement(
  'tracker_labels_applied',
  `UPDATE issue_labels l SET last_applied_at = $2::timestamptz
   FROM (SELECT x.id FROM issue_labels x WHERE x.id = ANY($1::uuid[]) ORDER BY x.id FOR NO KEY UPDATE) held
   WHERE l.id = held.id`,
);
const ORPHAN_CHILDREN = statement(
  'tracker_orphan_children',
  `UPDATE issues SET parent_id = NULL, sub_issue_sort_order = NULL, updated_at = $2::timestamptz
   WHERE parent_id = $1::uuid`,
);
const FORGET_SOURCES = statement(
  'tracker_forget_sources',
  `UPDATE issues SET source_comment_id = NULL, updated_at = $2::timestamptz
   WHERE id <> $1::uuid AND source_comment_id IN (SELECT c.id FROM comments c WHERE c.issue_id = $1::uuid)`,
);
const FORGET_ORIGINS = statement(
  'tracker_forget_origins',
  `UPDATE projects SET converted_from_issue_id = NULL, updated_at = $2::timestamptz
   WHERE converted_from_issue_id = $1::uuid`,
);

/** Selected from the issue itself, so that a concurrently deleted one gets none. */
const FOLLOW = statement(
  'tracker_subscribe',
  `INSERT INTO issue_subscribers (issue_id, user_id) SELECT i.id, $2::uuid FROM issues i WHERE i.id = $1::uuid
   ON CONFLICT DO NOTHING RETURNING 1`,
);
const USER_BY_EMAIL = statement(
  'tracker_user_by_email',
  `SELECT u.id FROM tracker_users u WHERE u.organization_id = $1::uuid AND lower(u.email) = lower($2)`,
);

/**
 * Two issues could concurrently be made each other's parent, as each change would see the other's old parent. So
 * changes of parents are serialized, per organization, before they lock anything.
 */
export async function queueReparenting(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(QUEUE_REPARENTING, [organizationId]);
}

export async function setSubscribers(tx: Tx, issueId: string, userIds: readonly string[]): Promise<void> {
  await tx.query(SET_SUBSCRIBERS, [issueId, userIds]);
}

/** Labels are locked in the order of ids, as everywhere. */
export async function labelsApplied(tx: Tx, labelIds: readonly string[], at: Date): Promise<void> {
  await tx.query(LABELS_APPLIED, [labelIds, at]);
}

/**
 * Removes references to this issue before it is deleted (docs/reference/tracker.md#issue,
 * docs/reference/tracker-webhooks.md#what-fires). Foreign keys would do it, but without updating `updated_at`.
 */
export async function forgetIssue(tx: Tx, issueId: string, at: Date): Promise<void> {
  for (const reference of [ORPHAN_CHILDREN, FORGET_SOURCES, FORGET_ORIGINS]) await tx.query(reference, [issueId, at]);
}

/** Idempotent: subscribing again changes nothing. Answers whether it did. */
export async function follow(tx: Tx, issueId: string, userId: string): Promise<boolean> {
  return (await tx.query(FOLLOW, [issueId, userId])).length > 0;
}

export async function userIdByEmail(db: Db, organizationId: string, email: string): Promise<string | undefined> {
  return (await db.read<{ id: string }>(USER_BY_EMAIL, [organizationId, email]))[0]?.id;
}
