import { batchStatement } from '../../../kernel/database/batch-statement.js';
import { statement } from '../../../kernel/database/statement.js';
import { issueByIdentifier } from '../../access/doors.queries.js';
import { QUEUED, RECORDING } from '../../events/sync.queries.js';

/*
 * Hand-written: concurrent comments share two statements. The first one loads what they belong to, from which the rules
 * are applied and the events made; the second one locks that, compares it with what was loaded, and writes.
 */

const TEAM = `json_build_object('id', t.id, 'key', t.key, 'name', t.name, 'private', t.private)`;

/** The fact about each kind of row that a new comment belongs to: text, to be compared as it is. */
const ISSUE = `json_build_object('id', i.id, 'identifier', i.identifier, 'title', i.title, 'teamId', i.team_id,
       'teams', ARRAY(SELECT ${TEAM} FROM teams t WHERE t.id = i.team_id))::text`;
const PROJECT = `json_build_object('id', p.id, 'name', p.name, 'slugId', p.slug_id, 'teams', ARRAY(
       SELECT ${TEAM} FROM project_teams x JOIN teams t ON t.id = x.team_id WHERE x.project_id = p.id ORDER BY t.id))::text`;
const PARENT = `json_build_object('id', c.id, 'body', c.body, 'userId', c.user_id, 'parentId', c.parent_id,
       'issueId', c.issue_id, 'projectId', c.project_id, 'teamIds', CASE WHEN c.issue_id IS NULL
         THEN ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = c.project_id ORDER BY 1)
         ELSE ARRAY(SELECT x.team_id FROM issues x WHERE x.id = c.issue_id) END)::text`;

/** For each new comment the facts about its issue or project and its parent, inside its organization. */
export const CONTEXT = statement(
  'tracker_surroundings_of_comments',
  `SELECT coalesce(issue.fact, project.fact) AS owner, parent.fact AS parent
   FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[])
     WITH ORDINALITY AS r (organization_id, issue_id, identifier, project_id, parent_id, n)
   LEFT JOIN LATERAL (SELECT ${ISSUE} AS fact FROM issues i WHERE i.organization_id = r.organization_id
     AND i.id = CASE WHEN r.identifier IS NULL THEN r.issue_id ELSE ${issueByIdentifier('r.organization_id', 'r.identifier')} END
     ) issue ON true
   LEFT JOIN LATERAL (SELECT ${PROJECT} AS fact FROM projects p
     WHERE p.organization_id = r.organization_id AND p.id = r.project_id) project ON true
   LEFT JOIN LATERAL (SELECT ${PARENT} AS fact FROM comments c
     WHERE c.organization_id = r.organization_id AND c.id = r.parent_id) parent ON true
   ORDER BY r.n`,
);

/**
 * `stale`: what the comment belongs to is not as it was loaded. `taken`: its id is in use. Issues, projects and parents are
 * locked against deletion, in this order and by id; then come the new rows, and last the organizations, whose counters
 * other writes of theirs wait for.
 */
export const CREATE_COMMENTS = batchStatement(
  'tracker_create_comments',
  {
    id: 'text',
    issue_id: 'text',
    project_id: 'text',
    parent_id: 'text',
    user_id: 'text',
    body: 'text',
    quoted_text: 'text',
    created_at: 'text',
    follows: 'boolean',
    owner: 'text',
    parent: 'text',
    kind: 'text',
    room: 'text',
    data: 'text',
    organization_id: 'text',
    type: 'text',
    team_ids: 'text',
    is_public: 'boolean',
  },
  (req, takes) => `WITH ${req},
   issues_held AS MATERIALIZED (
     SELECT i.id, ${ISSUE} AS fact FROM issues i
     WHERE i.id IN (SELECT issue_id::uuid FROM req) ORDER BY i.id FOR KEY SHARE OF i),
   projects_held AS MATERIALIZED (
     SELECT p.id, ${PROJECT} AS fact FROM projects p
     WHERE (SELECT count(*) FROM issues_held) >= 0 AND p.id IN (SELECT project_id::uuid FROM req)
     ORDER BY p.id FOR KEY SHARE OF p),
   parents_held AS MATERIALIZED (
     SELECT c.id, ${PARENT} AS fact FROM comments c
     WHERE (SELECT count(*) FROM projects_held) >= 0 AND c.id IN (SELECT parent_id::uuid FROM req)
     ORDER BY c.id FOR KEY SHARE OF c),
   ${takes('parents_held')},
   proven AS MATERIALIZED (
     SELECT r.*, row_number() OVER (PARTITION BY r.id ORDER BY r.n) AS of_id FROM req r
     LEFT JOIN parents_held c ON c.id = r.parent_id::uuid
     LEFT JOIN issues_held i ON i.id = r.issue_id::uuid
     LEFT JOIN projects_held p ON p.id = r.project_id::uuid
     WHERE coalesce(i.fact, p.fact) = r.owner AND c.fact IS NOT DISTINCT FROM r.parent
       AND NOT EXISTS (SELECT FROM untaken u WHERE u.n = r.n)),
   created AS (
     INSERT INTO comments (id, organization_id, issue_id, project_id, parent_id, user_id, body, quoted_text, created_at, updated_at)
     SELECT id::uuid, organization_id::uuid, issue_id::uuid, project_id::uuid, parent_id::uuid, user_id::uuid, body, quoted_text,
            created_at::timestamptz, created_at::timestamptz
     FROM proven WHERE of_id = 1 ORDER BY id ON CONFLICT DO NOTHING RETURNING id),
   made AS MATERIALIZED (
     SELECT p.* FROM proven p JOIN created c ON c.id = p.id::uuid WHERE p.of_id = 1),
   following AS (
     INSERT INTO issue_subscribers (issue_id, user_id)
     SELECT DISTINCT issue_id::uuid, user_id::uuid FROM made WHERE follows AND issue_id IS NOT NULL ORDER BY 1, 2
     ON CONFLICT DO NOTHING RETURNING 1),
   entries AS MATERIALIZED (
     SELECT tenant_id, kind, room, data, cause, shift AS clock, organization_id::uuid AS organization_id, type, team_ids, is_public, n
     FROM made WHERE (SELECT count(*) FROM following) >= 0),
   ${RECORDING}
   SELECT r.n, e.sync_id AS "syncId", CASE WHEN r.n = 1 THEN ${QUEUED} END AS queued,
          CASE WHEN e.n IS NOT NULL THEN 'done' WHEN u.n IS NOT NULL THEN 'untaken' WHEN p.n IS NOT NULL THEN 'taken' ELSE 'stale' END AS outcome
   FROM req r LEFT JOIN numbered e ON e.n = r.n LEFT JOIN proven p ON p.n = r.n LEFT JOIN untaken u ON u.n = r.n`,
);
