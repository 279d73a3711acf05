import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what seed documents read and write of projects: sets of rows, each kind in one statement. */

/** Projects that are not archived. Parameter: the organization. */
export const PROJECT_NAMES = statement(
  'seed_projects',
  'SELECT id, name FROM projects WHERE organization_id = $1::uuid AND archived_at IS NULL',
);

/** In their order. Parameter: the organization. */
export const PROJECT_STATUS_NAMES = statement(
  'seed_statuses',
  'SELECT id, name FROM project_statuses WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY position',
);

/** Parameters: projects, teams, one each. */
export const INSERT_PROJECT_TEAMS = statement(
  'seed_project_teams',
  'INSERT INTO project_teams (project_id, team_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
);

/** Parameters: projects, users, one each. */
export const INSERT_PROJECT_MEMBERS = statement(
  'seed_project_members',
  'INSERT INTO project_members (project_id, user_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
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

/** Those that are not archived, with the names of their labels. Parameter: the organization. */
export const PROJECTS_TO_EXPORT = statement(
  'export_projects',
  `SELECT p.id::text, p.name, p.description, p.content, p.priority, p.lead_id::text AS "leadId", s.name AS status,
     ARRAY(SELECT l.name FROM unnest(p.label_ids) WITH ORDINALITY x (id, n) JOIN project_labels l ON l.id = x.id ORDER BY x.n) AS labels,
     p.start_date::text AS "startDate", p.target_date::text AS "targetDate",
     coalesce((SELECT array_agg(t.team_id::text) FROM project_teams t WHERE t.project_id = p.id), '{}') AS teams,
     coalesce((SELECT array_agg(m.user_id::text) FROM project_members m WHERE m.project_id = p.id), '{}') AS members
   FROM projects p LEFT JOIN project_statuses s ON s.id = p.status_id
   WHERE p.organization_id = $1::uuid AND p.archived_at IS NULL ORDER BY p.name, p.created_at, p.id`,
);
