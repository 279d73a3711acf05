import { statement, StatementShapes, type Statement } from '../../kernel/database/statement.js';
import { allEntities } from '../store/define-entity.js';

/*
 * Hand-written: names of many kinds of things in one statement. Tables of other rooms: issues, workflow_states. Tests
 * see what there is of both.
 */

/** People, teams and states by id or name: the other ids and names of each of $2. */
export const ALIASES = statement(
  'tracker_aliases',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (value)),
   org AS (SELECT id FROM organizations WHERE tenant_id = $1)
   SELECT a.value, ARRAY[u.id::text, u.name, u.display_name, u.email] AS others
     FROM org JOIN tracker_users u ON u.organization_id = org.id
     JOIN asked a ON a.value IN (u.id::text, u.name, u.display_name, u.email)
   UNION ALL
   SELECT a.value, ARRAY[t.id::text, t.key, t.name] FROM org JOIN teams t ON t.organization_id = org.id
     JOIN asked a ON a.value IN (t.id::text, t.key, t.name)
   UNION ALL
   SELECT a.value, ARRAY[s.id::text, s.name] FROM org JOIN teams t ON t.organization_id = org.id
     JOIN workflow_states s ON s.team_id = t.id JOIN asked a ON a.value IN (s.id::text, s.name)`,
);

export const ISSUES = statement(
  'tracker_view_issues',
  `SELECT jsonb_strip_nulls(jsonb_build_object('id', i.id, 'number', i.number, 'identifier', t.key || '-' || i.number,
            'title', i.title, 'description', i.description, 'priority', i.priority, 'estimate', i.estimate,
            'updatedAt', to_char(i.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'teamId', i.team_id, 'stateId', i.state_id, 'assigneeId', i.assignee_id, 'creatorId', i.creator_id,
            'team', jsonb_build_object('id', t.id, 'key', t.key, 'name', t.name),
            'state', jsonb_build_object('id', s.id, 'name', s.name, 'type', s.type),
            'assignee', CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) END))
          AS issue
     FROM organizations o JOIN teams t ON t.organization_id = o.id JOIN issues i ON i.team_id = t.id
     LEFT JOIN workflow_states s ON s.id = i.state_id LEFT JOIN tracker_users u ON u.id = i.assignee_id
    WHERE o.tenant_id = $1 AND i.archived_at IS NULL ORDER BY i.updated_at DESC LIMIT $2`,
);

const shapes = new StatementShapes('tracker_names');

/** What shows besides the ids of $2, of all kinds that have such a title. */
export const names = (): Statement =>
  shapes.of('all', () => {
    const titled = allEntities().flatMap(({ table, title }) =>
      title
        ? [
            `SELECT x.id, ${title('x')} AS name FROM asked a JOIN ${table} x ON x.id = a.id JOIN org ON org.id = x.organization_id`,
          ]
        : [],
    );
    return `WITH asked AS (SELECT v.id::uuid AS id FROM unnest($2::text[]) v (id) WHERE v.id ~ '^[0-9a-f-]{36}$'),
   org AS (SELECT id FROM organizations WHERE tenant_id = $1)
   SELECT x.id, x.name FROM asked a JOIN oauth_applications x ON x.id = a.id
     WHERE x.is_public OR x.organization_id IN (SELECT id FROM org)
   UNION ALL ${titled.join(' UNION ALL ')}`;
  });
