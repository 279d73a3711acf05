import { statement } from '../../kernel/database/statement.js';

/* Hand-written: applications with what was authorized last, as seed documents have them. */

/** Applications of OAuth with what was authorized last, but for the one that every organization begins with. */
export const APPLICATIONS_TO_EXPORT = statement(
  'export_applications',
  `SELECT p.name, p.redirect_uris AS "redirectUris", p.has_client_credentials AS "hasClientCredentials", p.is_public AS "isPublic",
     p.webhook_url AS "webhookUrl", p.webhook_resource_types AS "resourceTypes", z.actor, z.scopes,
     coalesce(z.granted_by_id, z.user_id)::text AS "grantedById"
   FROM oauth_applications p LEFT JOIN LATERAL (
     SELECT z.actor, z.scopes, z.granted_by_id, z.user_id FROM oauth_authorizations z
     WHERE z.application_id = p.id AND z.organization_id = p.organization_id AND z.ended_at IS NULL
     ORDER BY z.updated_at DESC, z.id LIMIT 1) z ON true
   WHERE p.organization_id = $1::uuid AND NOT p.is_default ORDER BY p.created_at, p.name, p.id`,
);

/** As SQL: applications of an organization with what was authorized last, in the order of their making. */
export const applicationsOfCopy = (organization: string): string =>
  `SELECT c.id, c.name, c.client_id AS "clientId", c.webhook_secret AS "webhookSecret", (
        SELECT json_build_object('userId', n.user_id, 'grantedById', n.granted_by_id, 'actor', n.actor, 'scopes', n.scopes)
        FROM oauth_authorizations n WHERE n.application_id = c.id AND n.organization_id = ${organization} AND n.ended_at IS NULL
        ORDER BY n.updated_at DESC, n.id LIMIT 1) AS newest
      FROM oauth_applications c WHERE c.organization_id = ${organization} ORDER BY c.created_at, c.id`;
