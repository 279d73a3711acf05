import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { OauthApplication } from '../store/oauth-application.entity.js';

/* Hand-written: a registration with its home and that home's sandbox in one read. */

/** An application by its client id, or by its own ($2). */
export const CLIENT = statement(
  'tracker_oauth_client',
  `SELECT ${columnsOf(OauthApplication, 'p')}, o.tenant_id AS "tenantId", sb.flags
   FROM oauth_applications p JOIN organizations o ON o.id = p.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id
   WHERE p.client_id = $1 OR p.id = $2::uuid`,
);

/**
 * Organizations with a person of each: the one with the id $1 or the URL key $2, or else all of which the account $3 is an
 * active user. The person is the one with the id $4, or of that account.
 */
export const PLACES = statement(
  'tracker_oauth_places',
  `SELECT o.id, o.name, o.url_key AS "urlKey", o.tenant_id AS "tenantId", sb.flags,
          u.id AS "userId", u.name AS "userName", u.admin
   FROM organizations o JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id
   LEFT JOIN tracker_users u ON u.organization_id = o.id AND u.active AND u.application_id IS NULL
     AND (u.account_id = $3 OR u.id = $4::uuid)
   WHERE CASE WHEN $1::uuid IS NULL AND $2::text IS NULL THEN u.id IS NOT NULL
              ELSE o.id = $1::uuid OR (o.url_key = $2::text AND o.has_own_ids IS NOT TRUE) END
   ORDER BY o.created_at, o.id LIMIT 100`,
);

/** Active people of an organization. */
export const PEOPLE = statement(
  'tracker_oauth_people',
  `SELECT id, name, display_name AS "displayName" FROM tracker_users
   WHERE organization_id = $1 AND active AND application_id IS NULL ORDER BY NOT owner, name, id LIMIT 500`,
);

/** Scopes that an application holds in an organization as this kind of actor; $4: of one person. */
export const HELD = statement(
  'tracker_oauth_held_scopes',
  `SELECT DISTINCT unnest(scopes) AS scope FROM oauth_authorizations
   WHERE organization_id = $1 AND application_id = $2 AND actor = $3 AND ended_at IS NULL AND ($4::uuid IS NULL OR user_id = $4::uuid)`,
);
