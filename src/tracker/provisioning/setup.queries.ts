import { CUSTOMER_STATUSES } from '../values/customer-statuses.js';
import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: a tenant's initial data and a document's seeds are sets of rows, inserted with one statement each, so
 * that sandboxes are made in a few milliseconds. Tables of other rooms: api_keys, customer_statuses, project_statuses,
 * workflow_states. An organization is made with all of them in one statement.
 */

/** Parts that are statements of their own, too. */
const insertStatuses = (organization: string, [ids, names, types, colors]: readonly string[], now: string): string =>
  `INSERT INTO project_statuses (id, organization_id, name, type, color, position, created_at, updated_at)
   SELECT u.id, ${organization}, u.name, u.type, u.color, u.n - 1, ${now}::timestamptz, ${now}::timestamptz
   FROM unnest(${ids}::uuid[], ${names}::text[], ${types}::text[], ${colors}::text[]) WITH ORDINALITY AS u (id, name, type, color, n)`;

export const INSERT_STATUSES = statement(
  'tracker_insert_project_statuses',
  insertStatuses('$1::uuid', ['$2', '$3', '$4', '$5'], '$6'),
);

const CUSTOMER_STAGES = CUSTOMER_STATUSES.map(
  ([name, color, type], n) => `('${name}', '${color}', '${type}', ${n})`,
).join(', ');

/** @param draw what UUIDs are derived from; null: they are random */
const insertCustomerStatuses = (organization: string, now: string, draw: string): string =>
  `INSERT INTO customer_statuses (id, organization_id, name, display_name, color, type, position, created_at, updated_at)
   SELECT drawn_uuid(${draw}::text, 10 + s.n), ${organization}, s.name, s.name, s.color, s.type, s.n, ${now}::timestamptz, ${now}::timestamptz
   FROM (VALUES ${CUSTOMER_STAGES}) AS s (name, color, type, n)`;

export const INSERT_CUSTOMER_STATUSES = statement(
  'tracker_insert_customer_statuses',
  insertCustomerStatuses('$1::uuid', '$2', '$3'),
);

/**
 * Its states are created 1 ms apart, so that they define the default order (docs/reference/tracker.md#workflowstate).
 */
const insertStates = (
  { organization, team }: { organization: string; team: string },
  [ids, names, types, colors]: readonly string[],
  now: string,
): string =>
  `INSERT INTO workflow_states (id, organization_id, team_id, name, type, color, position, created_at, updated_at)
   SELECT s.id, ${organization}, ${team}, s.name, s.type, s.color, s.n - 1, m.at, m.at
   FROM unnest(${ids}::uuid[], ${names}::text[], ${types}::text[], ${colors}::text[]) WITH ORDINALITY AS s (id, name, type, color, n)
   CROSS JOIN LATERAL (SELECT ${now}::timestamptz + (s.n - 1) * interval '1 millisecond' AS at) m`;

/**
 * The initial data of a tenant's organization, in one statement: itself, its url key, its owner with a key, its project
 * statuses and, if $13 names one, its first team. Nothing when the url key is taken, also as a previous one.
 */
export const FOUND_ORGANIZATION = statement(
  'tracker_found_organization',
  `WITH organization AS (
     INSERT INTO organizations (id, tenant_id, name, url_key, created_at, updated_at, has_own_ids)
     SELECT $1::uuid, $2::bigint, $3, $4::text, $5::timestamptz, $5::timestamptz, $26::boolean
     WHERE $26::boolean IS TRUE OR NOT EXISTS (SELECT FROM organization_url_keys k WHERE k.url_key = $4::text)
     ON CONFLICT DO NOTHING RETURNING id),
   url_key AS (INSERT INTO organization_url_keys (url_key, organization_id) SELECT $4::text, id FROM organization WHERE $26::boolean IS NOT TRUE),
   statuses AS (${insertStatuses('o.id', ['$6', '$7', '$8', '$9'], '$5')} CROSS JOIN organization o),
   stages AS (${insertCustomerStatuses('o.id', '$5', '$27')} CROSS JOIN organization o),
   owner AS (
     INSERT INTO tracker_users (id, organization_id, account_id, name, display_name, email, owner, admin, created_at, updated_at)
     SELECT $10::uuid, id, $11, $12, $14, $15, true, true, $5::timestamptz, $5::timestamptz FROM organization RETURNING id),
   team AS (
     INSERT INTO teams (id, organization_id, key, name, color, default_issue_state_id, created_at, updated_at)
     SELECT $13::uuid, o.id, $16, $17, $18, ($19::uuid[])[1], $5::timestamptz, $5::timestamptz
     FROM organization o WHERE $13::uuid IS NOT NULL RETURNING id, organization_id),
   states AS (${insertStates({ organization: 't.organization_id', team: 't.id' }, ['$19', '$20', '$21', '$22'], '$5')} CROSS JOIN team t),
   member AS (
     INSERT INTO team_memberships (id, organization_id, team_id, user_id, owner, created_at, updated_at)
     SELECT drawn_uuid($27::text, 1), t.organization_id, t.id, u.id, true, $5::timestamptz, $5::timestamptz FROM team t, owner u),
   api_key AS (
     INSERT INTO api_keys (id, organization_id, user_id, hash, label, start, is_default, created_at)
     SELECT drawn_uuid($27::text, 2), o.id, u.id, $23, 'default', $24, $25::boolean, $5::timestamptz FROM organization o, owner u
     ON CONFLICT (hash) DO NOTHING RETURNING hash)
   SELECT id, EXISTS (SELECT FROM api_key) AS keyed FROM organization`,
);

export const TAKEN_DISPLAY_NAMES = statement(
  'tracker_taken_display_names',
  `SELECT lower(display_name) AS name FROM tracker_users
   WHERE organization_id = $1::uuid AND starts_with(lower(display_name), $2)`,
);

export const JOIN_PUBLIC_TEAMS = statement(
  'tracker_join_public_teams',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT drawn_uuid($4::text, row_number() OVER (ORDER BY t.id)), t.organization_id, t.id, $2::uuid, $3::timestamptz, $3::timestamptz
   FROM teams t WHERE t.organization_id = $1::uuid AND NOT t.private ON CONFLICT DO NOTHING`,
);

export const INSERT_STATES = statement(
  'tracker_insert_states',
  insertStates({ organization: '$1::uuid', team: '$2::uuid' }, ['$3', '$4', '$5', '$6'], '$7'),
);

/** Of a public team every active user, of a private one its creator (docs/reference/tracker.md#team). */
export const INSERT_MEMBERS = statement(
  'tracker_insert_members',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, owner, created_at, updated_at)
   SELECT drawn_uuid($6::text, row_number() OVER (ORDER BY u.id)), $1::uuid, $2::uuid, u.id, u.id = $3::uuid, $5::timestamptz, $5::timestamptz
   FROM tracker_users u
   WHERE u.organization_id = $1::uuid AND (u.id = $3::uuid OR (u.active AND u.all_public_teams AND NOT $4::boolean))`,
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
   SELECT drawn_uuid($4::text, row_number() OVER (ORDER BY t.id, u.id)), t.organization_id, t.id, u.id, $3::timestamptz, $3::timestamptz
   FROM teams t, unnest($2::uuid[]) AS u (id) WHERE t.organization_id = $1::uuid AND NOT t.private ON CONFLICT DO NOTHING`,
);

export const DISPLAY_NAMES = statement(
  'tracker_display_names',
  'SELECT lower(display_name) AS name FROM tracker_users WHERE organization_id = $1::uuid',
);

/** Keys that are not taken; rows as `keyRows` gives them. */
export const insertKeys = (organization: string, rows: string, now: string, draw: string): string =>
  `INSERT INTO api_keys (id, organization_id, user_id, hash, label, start, created_at)
   SELECT drawn_uuid(${draw}::text, row_number() OVER (ORDER BY k.user_id)), ${organization}::uuid, k.user_id, k.hash, k.label, k.start, ${now}::timestamptz
   FROM jsonb_to_recordset(${rows}::jsonb) AS k (user_id uuid, hash text, label text, start text)`;

export const INSERT_KEYS = statement('tracker_insert_api_keys', insertKeys('$1', '$2', '$3', '$4'));

/**
 * Teams with their states and members, for any number; those whose id or key is taken are left out. Parameters: the
 * organization, rows, whoever makes them, now; names, types and colours of the states.
 */
export const INSERT_TEAMS = statement(
  'tracker_insert_teams',
  `WITH t AS MATERIALIZED (
     SELECT * FROM jsonb_to_recordset($2::jsonb) AS t (id uuid, key text, name text, description text, private boolean, color text,
       states uuid[], n integer)),
   stored AS (
     INSERT INTO teams (id, organization_id, key, name, description, private, color, default_issue_state_id, created_at, updated_at)
     SELECT id, $1::uuid, key, name, description, private, color, states[1], m.at, m.at
     FROM t CROSS JOIN LATERAL (SELECT $4::timestamptz + n * interval '1 millisecond' AS at) m
     ON CONFLICT DO NOTHING RETURNING id, private),
   states AS (
     INSERT INTO workflow_states (id, organization_id, team_id, name, type, color, position, created_at, updated_at)
     SELECT t.states[s.n], $1::uuid, t.id, s.name, s.type, s.color, s.n - 1, m.at, m.at
     FROM t JOIN stored USING (id)
     CROSS JOIN unnest($5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS s (name, type, color, n)
     CROSS JOIN LATERAL (SELECT $4::timestamptz + (s.n - 1) * interval '1 millisecond' AS at) m),
   members AS (
     INSERT INTO team_memberships (id, organization_id, team_id, user_id, owner, created_at, updated_at)
     SELECT drawn_uuid($8::text, row_number() OVER (ORDER BY t.id, u.id)), $1::uuid, t.id, u.id, u.id = $3::uuid, $4::timestamptz, $4::timestamptz
     FROM stored t, tracker_users u
     WHERE u.organization_id = $1::uuid AND (u.id = $3::uuid OR (u.active AND u.all_public_teams AND NOT t.private)))
   SELECT id FROM stored`,
);

/** The default tenant's organization, and the admin in it. */
export const ORGANIZATION_OF_TENANT = statement(
  'tenants_default_organization',
  `SELECT o.id, o.url_key AS "urlKey", u.id AS "userId" FROM organizations o
   JOIN tracker_users u ON u.organization_id = o.id AND u.account_id = $2 WHERE o.tenant_id = $1`,
);

/** An organization's own url key. Parameter: the organization. */
export const INSERT_URL_KEY = statement(
  'copies_url_key',
  `INSERT INTO organization_url_keys (url_key, organization_id)
   SELECT o.url_key, o.id FROM organizations o WHERE o.id = $1::uuid`,
);
