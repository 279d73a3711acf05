import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what seed documents read and write of teams: sets of rows, each kind in one statement. */

/** States that are not archived, in their order. Parameter: teams. */
export const STATES_OF_TEAMS = statement(
  'seed_states',
  `SELECT id, team_id AS "teamId", name, type, position FROM workflow_states
   WHERE team_id = ANY($1::uuid[]) AND archived_at IS NULL ORDER BY position`,
);

/** States that a document completes, and the default state of their teams if its id changes. */
export const SET_STATES = statement(
  'seed_set_states',
  `WITH s AS MATERIALIZED (
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS s (id uuid, new_id uuid, type text, color text, description text)),
   moved AS (
     UPDATE teams t SET default_issue_state_id = s.new_id FROM s WHERE t.default_issue_state_id = s.id AND s.new_id IS NOT NULL)
   UPDATE workflow_states w SET id = coalesce(s.new_id, w.id), type = coalesce(s.type, w.type), color = coalesce(s.color, w.color),
     description = coalesce(s.description, w.description)
   FROM s WHERE w.id = s.id`,
);

/** Parameter: teams. */
export const CYCLES_OF_TEAMS = statement(
  'seed_cycles',
  `SELECT id, team_id AS "teamId", number, starts_at AS "startsAt", ends_at AS "endsAt", archived_at IS NOT NULL AS "isArchived"
   FROM cycles WHERE team_id = ANY($1::uuid[])`,
);

/** With the members of private teams who do not own them. Parameter, here and below: the organization. */
export const TEAMS_TO_EXPORT = statement(
  'export_teams',
  `SELECT id::text, key, name, description, private, agent_guidance AS guidance, default_issue_state_id::text AS "defaultStateId",
     CASE WHEN private THEN ARRAY(SELECT m.user_id::text FROM team_memberships m JOIN tracker_users u ON u.id = m.user_id
       WHERE m.team_id = teams.id AND NOT m.owner ORDER BY lower(u.name), u.id) ELSE '{}' END AS members FROM teams
   WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY key`,
);

/** Of all teams, in their order. */
export const STATES_TO_EXPORT = statement(
  'export_states',
  `SELECT id::text, team_id::text AS "teamId", name, type, color, description FROM workflow_states
   WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY position, name`,
);

/** Those that are not archived. */
export const CYCLE_NUMBERS = statement(
  'export_cycle_numbers',
  `SELECT id::text, team_id::text AS "teamId", number FROM cycles WHERE organization_id = $1::uuid AND archived_at IS NULL`,
);
