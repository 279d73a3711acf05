import { statement } from '../../kernel/database/statement.js';

/* Hand-written: thousands of rows, each kind in one statement. */

export const TEAMS = statement(
  'seed_teams',
  'SELECT id, key FROM teams WHERE organization_id = $1::uuid AND archived_at IS NULL',
);
export const STATES = statement(
  'seed_states',
  `SELECT id, team_id AS "teamId", name, type, position FROM workflow_states
   WHERE team_id = ANY($1::uuid[]) AND archived_at IS NULL ORDER BY position`,
);
export const LABELS = statement(
  'seed_labels',
  'SELECT id, team_id AS "teamId", name FROM issue_labels WHERE organization_id = $1::uuid',
);
export const CYCLES = statement(
  'seed_cycles',
  `SELECT id, team_id AS "teamId", number, starts_at AS "startsAt", ends_at AS "endsAt", archived_at IS NOT NULL AS "isArchived"
   FROM cycles WHERE team_id = ANY($1::uuid[])`,
);
export const PROJECTS = statement(
  'seed_projects',
  'SELECT id, name FROM projects WHERE organization_id = $1::uuid AND archived_at IS NULL',
);
export const STATUSES = statement(
  'seed_statuses',
  'SELECT id, name FROM project_statuses WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY position',
);
export const DELETE_TEAM = statement(
  'seed_delete_team',
  `DELETE FROM teams WHERE organization_id = $1::uuid AND key = 'ENG'`,
);

/** Numbering issues of a team locks its row. */
export const ISSUE_COUNTERS = statement(
  'seed_issue_counters',
  'SELECT id, issue_counter AS last FROM teams WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
);
export const SET_COUNTERS = statement(
  'seed_set_counters',
  `UPDATE teams t SET issue_counter = greatest(t.issue_counter, c.last), updated_at = t.updated_at
   FROM unnest($1::uuid[], $2::integer[]) AS c (id, last) WHERE t.id = c.id`,
);
export const SET_CYCLES = statement(
  'seed_set_cycle_counters',
  `UPDATE teams t SET cycles_enabled = true, cycle_counter = greatest(t.cycle_counter, c.last)
   FROM unnest($1::uuid[], $2::integer[]) AS c (id, last) WHERE t.id = c.id`,
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
export const SUBSCRIBE = statement(
  'seed_subscribe',
  'INSERT INTO issue_subscribers (issue_id, user_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
);
export const PROJECT_TEAMS = statement(
  'seed_project_teams',
  'INSERT INTO project_teams (project_id, team_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
);
export const PROJECT_MEMBERS = statement(
  'seed_project_members',
  'INSERT INTO project_members (project_id, user_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
);
export const TEAM_MEMBERS = statement(
  'seed_team_members',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT drawn_uuid($5::text, m.n), $1::uuid, m.team_id, m.user_id, $4::timestamptz, $4::timestamptz
   FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS m (team_id, user_id, n) ON CONFLICT DO NOTHING`,
);
export const TARGETS = statement(
  'seed_tracker_targets',
  `INSERT INTO delivery_targets (id, product, tenant_id, enabled)
   SELECT t.id, $2, o.tenant_id, true FROM unnest($1::text[]) AS t (id), organizations o WHERE o.id = $3::uuid`,
);

/** Issues, as `[{ id, name }]`, join the milestone of their project that has the name; those that did are answered. */
export const SET_MILESTONES = statement(
  'seed_set_milestones',
  `UPDATE issues i SET project_milestone_id = m.id
   FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, name text), project_milestones m
   WHERE i.id = n.id AND m.project_id = i.project_id AND m.name = n.name RETURNING i.id::text`,
);

/** Issues, as `[{ id, name }]`, say which template of their team or the workspace they were made from; the same answer. */
export const SET_TEMPLATES = statement(
  'seed_set_templates',
  `WITH found AS (
     SELECT i.id, (
       SELECT t.id FROM templates t WHERE t.organization_id = i.organization_id AND t.name = n.name AND t.type = 'issue'
         AND (t.team_id IS NULL OR t.team_id = i.team_id)
       ORDER BY t.team_id NULLS LAST, t.created_at, t.id LIMIT 1) AS template_id
     FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, name text) JOIN issues i ON i.id = n.id)
   UPDATE issues i SET last_applied_template_id = f.template_id FROM found f
   WHERE i.id = f.id AND f.template_id IS NOT NULL RETURNING i.id::text`,
);

/**
 * Projects, as `[{ id, names }]`, get the labels of these names, of the organization or of their teams, in this order;
 * those whose labels are all there are answered.
 */
export const SET_PROJECT_LABELS = statement(
  'seed_set_project_labels',
  `WITH found AS (
     SELECT n.id, w.place, (
       SELECT l.id FROM project_labels l WHERE l.organization_id = $2::uuid AND lower(l.name) = lower(w.name) AND NOT l.is_group
         AND (l.team_id IS NULL OR l.team_id IN (SELECT t.team_id FROM project_teams t WHERE t.project_id = n.id))
       ORDER BY l.team_id NULLS LAST LIMIT 1) AS label_id
     FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, names jsonb),
       jsonb_array_elements_text(n.names) WITH ORDINALITY AS w (name, place)),
   complete AS (
     SELECT id, array_agg(label_id ORDER BY place) AS label_ids FROM found GROUP BY id HAVING bool_and(label_id IS NOT NULL))
   UPDATE projects p SET label_ids = c.label_ids FROM complete c WHERE p.id = c.id RETURNING p.id::text`,
);

/** Issues, as `[{ id, name }]`, get the user of the application with the name as their delegate; those that did are answered. */
export const SET_DELEGATES = statement(
  'seed_set_delegates',
  `WITH set AS (
     UPDATE issues i SET delegate_id = u.id
     FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, name text), oauth_applications p, tracker_users u
     WHERE i.id = n.id AND p.organization_id = i.organization_id AND p.name = n.name
       AND u.organization_id = i.organization_id AND u.application_id = p.id AND u.active AND u.can_be_assigned
     RETURNING i.id, i.delegate_id),
   subscribed AS (
     INSERT INTO issue_subscribers (issue_id, user_id) SELECT id, delegate_id FROM set ON CONFLICT DO NOTHING)
   SELECT id::text FROM set`,
);

/** The applications of an organization that act as themselves, with their users. */
export const AGENTS = statement(
  'seed_agents',
  `SELECT u.id::text, p.name, p.id::text AS "applicationId", u.avatar_url AS "avatarUrl"
   FROM oauth_applications p JOIN tracker_users u ON u.organization_id = p.organization_id AND u.application_id = p.id AND u.active
   WHERE p.organization_id = $1::uuid`,
);
