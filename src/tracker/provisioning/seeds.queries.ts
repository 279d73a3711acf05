import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what seed documents read and write of an organization and its teams: sets of rows, each kind in one statement. */

/** Teams that are not archived. Parameter: the organization. */
export const TEAM_KEYS = statement(
  'seed_teams',
  'SELECT id, key FROM teams WHERE organization_id = $1::uuid AND archived_at IS NULL',
);

/** The team that an organization begins with. Parameter: the organization. */
export const DELETE_FIRST_TEAM = statement(
  'seed_delete_team',
  `DELETE FROM teams WHERE organization_id = $1::uuid AND key = 'ENG'`,
);

/** Numbering issues of a team locks its row. */
export const ISSUE_COUNTERS = statement(
  'seed_issue_counters',
  'SELECT id, issue_counter AS last FROM teams WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
);

/** Counters only go up. Parameters: teams, last numbers. */
export const SET_ISSUE_COUNTERS = statement(
  'seed_set_counters',
  `UPDATE teams t SET issue_counter = greatest(t.issue_counter, c.last), updated_at = t.updated_at
   FROM unnest($1::uuid[], $2::integer[]) AS c (id, last) WHERE t.id = c.id`,
);

/** Teams that have cycles from now on. Parameters: teams, last numbers. */
export const SET_CYCLE_COUNTERS = statement(
  'seed_set_cycle_counters',
  `UPDATE teams t SET cycles_enabled = true, cycle_counter = greatest(t.cycle_counter, c.last)
   FROM unnest($1::uuid[], $2::integer[]) AS c (id, last) WHERE t.id = c.id`,
);

/** Those who are members already stay. Parameters: organization, teams, users, now, what ids are drawn from. */
export const INSERT_TEAM_MEMBERS = statement(
  'seed_team_members',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT drawn_uuid($5::text, m.n), $1::uuid, m.team_id, m.user_id, $4::timestamptz, $4::timestamptz
   FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS m (team_id, user_id, n) ON CONFLICT DO NOTHING`,
);

/** The applications of an organization that act as themselves, with their users. */
export const AGENTS_OF_ORGANIZATION = statement(
  'seed_agents',
  `SELECT u.id::text, p.name, p.id::text AS "applicationId", u.avatar_url AS "avatarUrl"
   FROM oauth_applications p JOIN tracker_users u ON u.organization_id = p.organization_id AND u.application_id = p.id AND u.active
   WHERE p.organization_id = $1::uuid`,
);

/** Parameter: the organization. */
export const GUIDANCE_TO_EXPORT = statement(
  'export_guidance',
  'SELECT agent_guidance AS guidance FROM organizations WHERE id = $1::uuid',
);
