import { statement } from '../../kernel/database/statement.js';

export const TAKE_URL_KEY = statement(
  'tracker_take_url_key',
  `INSERT INTO organization_url_keys (url_key, organization_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING url_key`,
);

export const UNDO_ORGANIZATION = statement('tracker_undo_organization', 'DELETE FROM organizations WHERE id = $1');

export const INSERT_STATUSES = statement(
  'tracker_insert_project_statuses',
  `INSERT INTO project_statuses (id, organization_id, name, type, color, position, created_at, updated_at)
   SELECT s.id, $1, s.name, s.type, s.color, s.position, $6::timestamptz, $6::timestamptz
   FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS u (id, name, type, color, n)
   CROSS JOIN LATERAL (SELECT u.id, u.name, u.type, u.color, u.n - 1 AS position) s`,
);

export const TAKEN_DISPLAY_NAMES = statement(
  'tracker_taken_display_names',
  `SELECT lower(display_name) AS name FROM tracker_users
   WHERE organization_id = $1::uuid AND starts_with(lower(display_name), $2)`,
);

export const JOIN_PUBLIC_TEAMS = statement(
  'tracker_join_public_teams',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT gen_random_uuid(), t.organization_id, t.id, $2::uuid, $3::timestamptz, $3::timestamptz
   FROM teams t WHERE t.organization_id = $1::uuid AND NOT t.private ON CONFLICT DO NOTHING`,
);

/** Its states are 1 ms apart, so that the default order is theirs (docs/reference/tracker.md#workflowstate). */
export const INSERT_STATES = statement(
  'tracker_insert_states',
  `INSERT INTO workflow_states (id, organization_id, team_id, name, type, color, position, created_at, updated_at)
   SELECT s.id, $1, $2, s.name, s.type, s.color, s.n - 1, m.at, m.at
   FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS s (id, name, type, color, n)
   CROSS JOIN LATERAL (SELECT $7::timestamptz + (s.n - 1) * interval '1 millisecond' AS at) m`,
);

/** Of a public team every active user, of a private one its creator (docs/reference/tracker.md#team). */
export const INSERT_MEMBERS = statement(
  'tracker_insert_members',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, owner, created_at, updated_at)
   SELECT gen_random_uuid(), $1::uuid, $2::uuid, u.id, u.id = $3::uuid, $5::timestamptz, $5::timestamptz
   FROM tracker_users u
   WHERE u.organization_id = $1::uuid AND (u.id = $3::uuid OR (u.active AND NOT $4::boolean))`,
);

export const INSERT_KEY = statement(
  'tracker_insert_api_key',
  `INSERT INTO api_keys (id, organization_id, user_id, hash, label, start, is_default, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL WHERE api_keys.user_id = excluded.user_id RETURNING id`,
);

/** A statement for any number: all of them become members of the public teams. */
export const JOIN_PUBLIC_TEAMS_ALL = statement(
  'tracker_all_join_public_teams',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT gen_random_uuid(), t.organization_id, t.id, u.id, $3::timestamptz, $3::timestamptz
   FROM teams t, unnest($2::uuid[]) AS u (id) WHERE t.organization_id = $1::uuid AND NOT t.private ON CONFLICT DO NOTHING`,
);

export const DISPLAY_NAMES = statement(
  'tracker_display_names',
  'SELECT lower(display_name) AS name FROM tracker_users WHERE organization_id = $1::uuid',
);

/** Keys that nobody has. */
export const INSERT_KEYS = statement(
  'tracker_insert_api_keys',
  `INSERT INTO api_keys (id, organization_id, user_id, hash, label, start, created_at)
   SELECT gen_random_uuid(), $1::uuid, k.user_id, k.hash, k.label, k.start, $3
   FROM jsonb_to_recordset($2::jsonb) AS k (user_id uuid, hash text, label text, start text)`,
);
