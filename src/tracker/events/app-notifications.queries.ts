import { statement } from '../../kernel/database/statement.js';

/* Hand-written: who of an organization is told of an issue, in one read of joined rows. */

/**
 * Users of applications that ask to be told, and see the team ($2) of an issue ($3); $4 is whoever did something.
 */
export const APP_LISTENERS = statement(
  'tracker_app_listeners',
  `SELECT u.id, u.display_name AS "displayName", u.can_be_mentioned AS "canBeMentioned", u.application_id AS "applicationId",
     EXISTS (SELECT FROM issue_subscribers s WHERE s.issue_id = $3::uuid AND s.user_id = u.id) AS "isSubscribed"
   FROM tracker_users u JOIN tracker_webhooks w ON w.organization_id = u.organization_id AND w.application_id = u.application_id
   JOIN teams t ON t.id = $2::uuid
   WHERE u.organization_id = $1::uuid AND u.active AND u.id <> $4::uuid AND w.enabled AND 'AppUserNotification' = ANY(w.resource_types)
     AND (NOT t.private AND u.all_public_teams OR EXISTS (SELECT FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id))`,
);

export interface AppListener extends Record<string, unknown> {
  readonly id: string;
  readonly displayName: string;
  readonly canBeMentioned: boolean;
  readonly applicationId: string;
  readonly isSubscribed: boolean;
}
