import { columnsOf, storedColumns } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { issueByIdentifier } from '../access/doors.queries.js';
import { QUEUED, RECORDING } from '../events/sync.queries.js';
import { Issue } from './issue.entity.js';

/*
 * Hand-written: concurrent updates of issues share their statements. The rows are read, changed by the rules, and
 * written where they are still what was read.
 */

/** The issues that the calls of an organization name, with the version of each row. */
export const ISSUES_TO_UPDATE = statement(
  'tracker_issues_to_update',
  `SELECT r.n::int AS n, i.xmin::text AS version, ${columnsOf(Issue, 'i')}
   FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS r (id, identifier, n)
   JOIN issues i ON i.organization_id = $1::uuid
     AND i.id = CASE WHEN r.identifier IS NULL THEN r.id ELSE ${issueByIdentifier('$1::uuid', 'r.identifier')} END`,
);

const stored = [...storedColumns(Issue)];
const RECORD = stored.map(([name, { cast }]) => `"${name}" ${cast}`).join(', ');
// what is not given keeps its value, also a long text that is stored apart from its row
const SET = stored
  .filter(([name]) => name !== 'id')
  .map(([name, { column }]) => `${column} = CASE WHEN c.given ? '${name}' THEN r."${name}" ELSE i.${column} END`)
  .join(', ');

/**
 * Changes issues with their subscribers and events. `unchanged` are the issues that still had the given version, and
 * whose new states, cycles and labels can still be used as the rules found: nothing is done about the others. Issues are
 * locked first, then states, cycles and labels, each in the order of ids, and last the organization, whose counter other
 * writes of it wait for.
 */
export const UPDATE_ISSUES = statement(
  'tracker_update_issues',
  `WITH issues_held AS MATERIALIZED (
     SELECT i.id, i.xmin::text AS version FROM issues i WHERE i.id = ANY($1::uuid[]) ORDER BY i.id FOR NO KEY UPDATE),
   states_held AS MATERIALIZED (
     SELECT w.id FROM workflow_states w
     WHERE (SELECT count(*) FROM issues_held) >= 0 AND w.id = ANY($4::uuid[]) AND w.archived_at IS NULL
     ORDER BY w.id FOR KEY SHARE),
   cycles_held AS MATERIALIZED (
     SELECT y.id FROM cycles y
     WHERE (SELECT count(*) FROM states_held) >= 0 AND y.id = ANY($22::uuid[]) AND y.archived_at IS NULL
     ORDER BY y.id FOR KEY SHARE),
   labels_held AS MATERIALIZED (
     SELECT l.id, l.team_id, l.parent_id FROM issue_labels l
     WHERE (SELECT count(*) FROM cycles_held) >= 0 AND l.id = ANY($24::uuid[]) AND NOT l.is_group
     ORDER BY l.id FOR NO KEY UPDATE),
   unchanged AS MATERIALIZED (
     SELECT i.id FROM issues_held i JOIN unnest($1::uuid[], $2::text[]) AS r (id, version) ON r.id = i.id AND r.version = i.version
     WHERE NOT EXISTS (
       SELECT FROM unnest($3::uuid[], $4::uuid[]) AS s (issue_id, state_id)
       WHERE s.issue_id = i.id AND s.state_id NOT IN (SELECT id FROM states_held))
     AND NOT EXISTS (
       SELECT FROM unnest($21::uuid[], $22::uuid[]) AS y (issue_id, cycle_id)
       WHERE y.issue_id = i.id AND y.cycle_id NOT IN (SELECT id FROM cycles_held))
     AND NOT EXISTS (
       SELECT FROM unnest($23::uuid[], $24::uuid[], $25::uuid[], $26::uuid[]) AS a (issue_id, label_id, team_id, parent_id)
       WHERE a.issue_id = i.id AND NOT EXISTS (
         SELECT FROM labels_held l WHERE l.id = a.label_id AND l.team_id IS NOT DISTINCT FROM a.team_id
           AND l.parent_id IS NOT DISTINCT FROM a.parent_id))),
   changed AS (
     UPDATE issues i SET ${SET}
     FROM jsonb_array_elements($5::jsonb) AS c (given) CROSS JOIN LATERAL jsonb_to_record(c.given) AS r (${RECORD})
     WHERE i.id = r.id AND i.id IN (SELECT id FROM unchanged) RETURNING 1),
   applied AS (
     UPDATE issue_labels l SET last_applied_at = $27::timestamptz
     FROM (SELECT DISTINCT a.label_id AS id FROM unnest($23::uuid[], $24::uuid[]) AS a (issue_id, label_id)
       WHERE a.issue_id IN (SELECT id FROM unchanged)) a
     WHERE l.id = a.id),
   subscribed AS (
     INSERT INTO issue_subscribers (issue_id, user_id)
     SELECT a.issue_id, a.user_id FROM unnest($6::uuid[], $7::uuid[]) AS a (issue_id, user_id)
     WHERE a.issue_id IN (SELECT id FROM unchanged) ORDER BY 1, 2 ON CONFLICT DO NOTHING RETURNING 1),
   unsubscribed AS (
     DELETE FROM issue_subscribers s USING unnest($8::uuid[], $9::uuid[]) AS d (issue_id, user_id)
     WHERE s.issue_id = d.issue_id AND s.user_id = d.user_id AND s.issue_id IN (SELECT id FROM unchanged) RETURNING 1),
   entries AS MATERIALIZED (
     SELECT e.* FROM unnest($10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::uuid[], $17::text[], $18::text[], $19::boolean[], $20::uuid[])
       WITH ORDINALITY AS e (tenant_id, kind, room, data, cause, clock, organization_id, type, team_ids, is_public, issue_id, n)
     WHERE (SELECT count(*) FROM changed) + (SELECT count(*) FROM subscribed) + (SELECT count(*) FROM unsubscribed) >= 0
       AND e.issue_id IN (SELECT id FROM unchanged)),
   ${RECORDING}
   SELECT ARRAY(SELECT id FROM unchanged) AS unchanged, ${QUEUED} AS queued,
          (SELECT coalesce(json_object_agg(n, sync_id), '{}') FROM numbered) AS "syncIds"`,
);
