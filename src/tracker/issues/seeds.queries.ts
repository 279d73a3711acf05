import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what seed documents read and write of issues: thousands of rows, each kind in one statement. */

/** Labels of issues, of the organization and of its teams. Parameter: the organization. */
export const LABEL_NAMES = statement(
  'seed_labels',
  'SELECT id, team_id AS "teamId", name FROM issue_labels WHERE organization_id = $1::uuid',
);

/** Those who are subscribed already stay. Parameters: issues, users, one each. */
export const INSERT_SUBSCRIBERS = statement(
  'seed_subscribe',
  'INSERT INTO issue_subscribers (issue_id, user_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING',
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

/** Parameter, here and below: the organization. */
export const LABELS_TO_EXPORT = statement(
  'export_labels',
  `SELECT id::text, team_id::text AS "teamId", name, color, description FROM issue_labels
   WHERE organization_id = $1::uuid ORDER BY lower(name)`,
);

/** Those that are not archived. */
export const ISSUE_NAMES = statement(
  'export_issue_names',
  `SELECT id::text, identifier FROM issues WHERE organization_id = $1::uuid AND archived_at IS NULL`,
);

/** Archived ones too, but for what lies in the trash. */
export const ISSUES_TO_EXPORT = statement(
  'export_issues',
  `SELECT i.id::text, i.team_id::text AS "teamId", i.number, i.identifier, i.title, i.description, i.priority, i.estimate,
     i.due_date::text AS "dueDate", i.state_id::text AS "stateId", i.assignee_id::text AS "assigneeId",
     i.creator_id::text AS "creatorId", i.project_id::text AS "projectId", i.cycle_id::text AS "cycleId",
     i.parent_id::text AS "parentId", i.label_ids AS "labelIds", i.created_at AS "createdAt",
     i.archived_at IS NOT NULL AS "isArchived",
     i.project_milestone_id::text AS "milestoneId",
     (SELECT t.name FROM templates t WHERE t.id = i.last_applied_template_id) AS template,
     (SELECT p.name FROM tracker_users u JOIN oauth_applications p ON p.id = u.application_id
      WHERE u.id = i.delegate_id AND u.active AND u.can_be_assigned AND p.organization_id = i.organization_id AND NOT p.is_default) AS delegate,
     ARRAY(SELECT s.user_id::text FROM issue_subscribers s JOIN tracker_users u ON u.id = s.user_id
       WHERE s.issue_id = i.id ORDER BY lower(u.name), u.id) AS "subscriberIds"
   FROM issues i WHERE i.organization_id = $1::uuid AND i.trashed IS NOT TRUE ORDER BY i.number`,
);

/** Of issues. */
export const COMMENTS_TO_EXPORT = statement(
  'export_comments',
  `SELECT c.id::text, c.issue_id::text AS "issueId", c.user_id::text AS "userId", c.body, c.created_at AS "createdAt",
     c.parent_id::text AS "parentId", c.resolving_user_id::text AS "resolvingUserId"
   FROM comments c WHERE c.organization_id = $1::uuid AND c.issue_id IS NOT NULL ORDER BY c.created_at, c.body, c.id`,
);

/** Sessions of agents whose applications a document holds. */
export const SESSIONS_TO_EXPORT = statement(
  'export_sessions',
  `SELECT s.id::text, s.issue_id::text AS "issueId", p.name AS app, s.status, s.creator_id::text AS "creatorId",
     s.is_delegated AS "isDelegated", s.dismissed_by_id::text AS "dismissedById", s.summary, s.plan,
     s.external_urls AS "externalUrls", s.external_link AS "externalLink", s.created_at AS "createdAt"
   FROM tracker_agent_sessions s JOIN tracker_users u ON u.id = s.app_user_id AND u.active
     JOIN oauth_applications p ON p.id = u.application_id AND p.organization_id = s.organization_id AND NOT p.is_default
   WHERE s.organization_id = $1::uuid ORDER BY s.created_at, p.name, s.id`,
);

/** Of all sessions. */
export const ACTIVITIES_TO_EXPORT = statement(
  'export_activities',
  `SELECT a.id::text, a.agent_session_id::text AS "sessionId", a.user_id::text AS "userId", a.type, a.content, a.ephemeral, a.signal,
     a.signal_metadata AS "signalMetadata", a.created_at AS "createdAt"
   FROM tracker_agent_activities a WHERE a.organization_id = $1::uuid ORDER BY a.created_at, a.id`,
);
