import { statement } from '../../kernel/database/statement.js';

/* Hand-written: sets of an authorization's tokens and of an application's organizations, each in one statement. */

/** The newest tokens of each kind stay: $2. */
export const PRUNE_TOKENS = statement(
  'tracker_oauth_prune_tokens',
  `DELETE FROM oauth_tokens WHERE hash IN (
     SELECT hash FROM (SELECT hash, row_number() OVER (PARTITION BY kind ORDER BY created_at DESC, hash) AS n
                       FROM oauth_tokens WHERE authorization_id = $1::uuid) t
     WHERE n > $2::int)`,
);

/** Ends tokens: $1 authorizations, or $2 a grant, or $3 an authorization's tokens by client credentials. */
export const REVOKE_TOKENS = statement(
  'tracker_oauth_revoke_tokens',
  `UPDATE oauth_tokens SET revoked_at = $4
   WHERE revoked_at IS NULL AND (authorization_id = ANY($1::uuid[]) OR grant_id = $2::uuid
     OR authorization_id = $3::uuid AND grant_id IS NULL)`,
);

/** Where an application is authorized, some at a time. */
export const ORGANIZATIONS_OF_APPLICATION = statement(
  'tracker_oauth_places_of_application',
  `SELECT DISTINCT o.id AS "organizationId", o.tenant_id AS "tenantId"
   FROM oauth_authorizations z JOIN organizations o ON o.id = z.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   WHERE z.application_id = $1::uuid AND z.ended_at IS NULL ORDER BY 1 LIMIT 1000`,
);

/** Authorizations whose application is gone, or the organization that registered it. */
export const ORPHANS = statement(
  'tracker_oauth_orphans',
  `SELECT DISTINCT z.application_id AS "applicationId", z.organization_id AS "organizationId", o.tenant_id AS "tenantId"
   FROM oauth_authorizations z JOIN organizations o ON o.id = z.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   WHERE z.ended_at IS NULL AND NOT EXISTS (
     SELECT FROM oauth_applications p JOIN organizations h ON h.id = p.organization_id
     JOIN tenants ht ON ht.id = h.tenant_id AND ht.deleted_at IS NULL WHERE p.id = z.application_id)
   LIMIT 200`,
);
