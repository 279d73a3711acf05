import { statement } from '../../../kernel/database/statement.js';
import { sizesOfMessages } from '../../../messaging/sandbox/export.queries.js';
import { USER_ROWS, WORKSPACE_ROWS } from '../../../messaging/store/rows-to-join.queries.js';
import { countIssues } from '../../../tracker/issues/issue-counts.queries.js';
import { ORGANIZATION_ROWS, TRACKER_USER_ROWS } from '../../../tracker/store/rows-to-join.queries.js';

/* Hand-written: whole tables of a tenant in one snapshot, each in the seed's own format. */

/** All statements of an export see one snapshot. */
export const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export const SANDBOX = statement(
  'export_sandbox',
  `SELECT s.name, s.labels, s.journal, s.methods, s.rate_limit_multiplier AS "rateLimitMultiplier",
     s.missing_scope_status AS "missingScopeStatus", nullif(s.urls, 'server') AS urls, s.clock_offset AS "clockOffset", s.clock_frozen_at AS "frozenAt",
     s.clock_tick_ms AS "tickMs", s.id_key IS NOT NULL AS "hasOwnIds", s.deterministic, s.random_seed AS "randomSeed",
     w.id AS "workspaceId", w.name AS "teamName", w.domain, w.creator_id AS "adminId", o.id AS "organizationId"
   FROM sandboxes s JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = s.tenant_id LEFT JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = s.tenant_id
   WHERE s.tenant_id = $1`,
);

export const SIZES = statement('export_sizes', `SELECT ${sizesOfMessages('$1')}, ${countIssues('$2::uuid')} AS issues`);

export const PEOPLE = statement(
  'export_people',
  `SELECT u.id, u.name, u.role, u.email, u.profile, u.presence, t.id::text AS "trackerId" FROM ${USER_ROWS} u
   LEFT JOIN ${TRACKER_USER_ROWS} t ON t.account_id = u.id AND t.organization_id = $2::uuid
   WHERE u.workspace_id = $1 AND NOT u.is_bot ORDER BY u.name`,
);

/** Members of the organization who are not in the workspace. */
export const TRACKER_PEOPLE = statement(
  'export_tracker_people',
  `SELECT t.id::text AS "trackerId", t.account_id AS id, t.display_name AS "displayName", t.name, t.email, t.admin
   FROM ${TRACKER_USER_ROWS} t WHERE t.organization_id = $2::uuid AND t.application_id IS NULL
     AND NOT EXISTS (SELECT FROM ${USER_ROWS} u WHERE u.workspace_id = $1 AND u.id = t.account_id) ORDER BY t.display_name`,
);

export const REFS = statement('export_refs', 'SELECT ref, thing FROM seed_refs WHERE tenant_id = $1 ORDER BY ref');
