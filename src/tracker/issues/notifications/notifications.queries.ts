import { sqlNowMicros } from '../../../kernel/clock/clock.js';
import { columnsOf } from '../../../kernel/database/columns.js';
import { statement, StatementShapes, type Statement } from '../../../kernel/database/statement.js';
import { Notification } from './notification.entity.js';

/* Hand-written: counts, sets of notifications that change at once, and what is due. */

const COLUMNS = columnsOf(Notification, 'nt');

/** How many of a user's ($1) are neither archived, read nor snoozed ($2: now) and about what the user sees. */
export const UNREAD = (access: string): Statement =>
  statement(
    'tracker_notifications_unread',
    `SELECT count(*)::int AS count FROM tracker_notifications nt
     WHERE nt.organization_id = $3::uuid AND nt.user_id = $1::uuid AND nt.archived_at IS NULL
       AND CASE WHEN nt.snoozed_until_at IS NULL THEN nt.read_at IS NULL ELSE nt.snoozed_until_at <= $2::timestamptz END
       AND (cardinality($4::uuid[]) = 0 OR ${access})`,
  );

/** What a user's notifications that change have in common; the value is \$2. */
export type Common = 'id' | 'group' | 'project_update_id' | 'initiative_update_id' | 'thing_id';

const common: Record<Common, string> = {
  id: 'nt.id = $2::uuid',
  // about the same thing as one
  group:
    'nt.thing_id = (SELECT o.thing_id FROM tracker_notifications o WHERE o.id = $2::uuid AND o.user_id = $1::uuid)',
  thing_id: 'nt.thing_id = $2::uuid',
  project_update_id: 'nt.project_update_id = $2::uuid',
  initiative_update_id: 'nt.initiative_update_id = $2::uuid',
};

/** What is done with notifications: what it sets ($3 a moment or null, $4 now), and which it changes. */
const deeds = {
  read: { set: 'read_at = $3::timestamptz', changes: '(nt.read_at IS NULL) <> ($3::timestamptz IS NULL)' },
  snooze: {
    set: 'snoozed_until_at = $3::timestamptz, unsnoozed_at = NULL',
    changes: 'nt.snoozed_until_at IS DISTINCT FROM $3::timestamptz',
  },
  unsnooze: {
    set: 'snoozed_until_at = NULL, unsnoozed_at = $3::timestamptz',
    changes: 'nt.snoozed_until_at IS NOT NULL AND $3::timestamptz IS NOT NULL',
  },
  archive: { set: 'archived_at = $3::timestamptz', changes: '(nt.archived_at IS NULL) <> ($3::timestamptz IS NULL)' },
} as const;

export type Deed = keyof typeof deeds;

const shapes = new StatementShapes('tracker_notifications_set');

/** Changes a user's ($1) notifications; answers those that it changed, newest first. */
export const changing = (deed: Deed, by: Common): Statement =>
  shapes.of(
    `${deed} ${by}`,
    () => `WITH nt AS (
       UPDATE tracker_notifications nt SET ${deeds[deed].set}, updated_at = $4::timestamptz
       WHERE nt.user_id = $1::uuid AND ${common[by]}
         AND ${deed === 'read' && by === 'id' ? 'nt.read_at IS DISTINCT FROM $3::timestamptz' : deeds[deed].changes}
         ${by === 'id' || deed === 'archive' ? '' : 'AND nt.archived_at IS NULL'}
       RETURNING nt.*)
     SELECT ${COLUMNS} FROM nt ORDER BY nt.created_at DESC, nt.id DESC`,
  );

/** Ends the snoozes of a user's ($1) notifications that are over ($2: now). */
export const WAKE = statement(
  'tracker_notifications_wake',
  `WITH nt AS (
     UPDATE tracker_notifications nt
     SET unsnoozed_at = nt.snoozed_until_at, snoozed_until_at = NULL, read_at = NULL, updated_at = nt.snoozed_until_at
     WHERE nt.user_id = $1::uuid AND nt.snoozed_until_at <= $2::timestamptz RETURNING nt.*)
   SELECT ${COLUMNS} FROM nt ORDER BY nt.created_at DESC, nt.id DESC`,
);

/** Takes a user's ($1) reminders that are due ($2: now). */
export const TAKE_REMINDERS = statement(
  'tracker_reminders_take',
  `WITH due AS (DELETE FROM tracker_issue_reminders r WHERE r.user_id = $1::uuid AND r.remind_at <= $2::timestamptz
     RETURNING r.issue_id, r.remind_at)
   SELECT i.id, i.identifier, i.title, i.description, i.team_id AS "teamId", t.key AS "teamKey", t.name AS "teamName",
     due.remind_at AS "remindAt"
   FROM due JOIN issues i ON i.id = due.issue_id JOIN teams t ON t.id = i.team_id ORDER BY due.remind_at, i.id`,
);

/** One for a user and an issue: a later call moves it. */
export const REMIND = statement(
  'tracker_reminders_set',
  `INSERT INTO tracker_issue_reminders (id, organization_id, issue_id, user_id, remind_at)
   VALUES (drawn_uuid($5::text, 1), $1::uuid, $2::uuid, $3::uuid, $4::timestamptz)
   ON CONFLICT (issue_id, user_id) DO UPDATE SET remind_at = excluded.remind_at`,
);

// a range, for which the index is used before the table is analyzed as well
const DUE_ROWS = `(SELECT organization_id, user_id, snoozed_until_at AS at FROM tracker_notifications
    WHERE snoozed_until_at BETWEEN '-infinity' AND 'infinity'
  UNION ALL SELECT organization_id, user_id, remind_at FROM tracker_issue_reminders)`;

/**
 * Users to whom something is due by the clocks of their sandboxes. $1: the clock's offset in real time. What waits is
 * looked up once, not for each organization: the clocks ask several times a second.
 */
export const DUE_USERS = statement(
  'tracker_notifications_due',
  `WITH d AS MATERIALIZED ${DUE_ROWS}
   SELECT d.user_id AS id, b.flags FROM d JOIN organizations o ON o.id = d.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   LEFT JOIN sandboxes b ON b.tenant_id = o.tenant_id
   WHERE (extract(epoch FROM d.at) * 1000000)::bigint
     <= coalesce(b.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(b.clock_offset, 0))
   GROUP BY d.user_id, b.flags ORDER BY min(d.at) LIMIT 100`,
);

/** The soonest moment at which something is due in a tenant ($1), in microseconds. */
export const NEXT_DUE = statement(
  'tracker_notifications_next',
  `SELECT (extract(epoch FROM min(d.at)) * 1000000)::float8 AS at
   FROM organizations o JOIN ${DUE_ROWS} d ON d.organization_id = o.id WHERE o.tenant_id = $1`,
);
