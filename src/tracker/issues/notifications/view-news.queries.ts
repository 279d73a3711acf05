import { statement } from '../../../kernel/database/statement.js';
import type { RequestingUser } from '../../store/query-scope.js';

/*
 * Hand-written: who subscribes to custom views, with what they see, for all news of a mutation at once. Tables of other
 * rooms: custom_views. Who subscribes to a view hears of issues.
 */

/** An active subscription to a view of issues that its subscriber sees, with what a filter needs of them. */
export interface ViewSubscription extends RequestingUser, Record<string, unknown> {
  readonly id: string;
  readonly types: readonly string[];
  readonly filterData: unknown;
}

/** Of each organization ($1) the oldest ($2: how many) that ask for one of the types ($3). */
export const VIEW_SUBSCRIPTIONS = statement(
  'tracker_view_subscriptions',
  `SELECT s.*, ARRAY(SELECT t.id FROM teams t WHERE t.organization_id = s."organizationId" AND t.archived_at IS NOT NULL
     ) AS "archivedTeamIds"
   FROM unnest($1::uuid[]) AS o (id), LATERAL (
     SELECT s.id, s.organization_id AS "organizationId", s.subscriber_id AS "userId", h.ids AS "hiddenTeamIds",
       s.notification_subscription_types AS types, v.filter_data AS "filterData"
     FROM tracker_notification_subscriptions s
     JOIN custom_views v ON v.id = s.custom_view_id AND v.model_name = 'Issue'
     JOIN tracker_users u ON u.id = s.subscriber_id AND u.active
     CROSS JOIN LATERAL (SELECT ARRAY(SELECT t.id FROM teams t
       WHERE t.organization_id = s.organization_id AND (t.private OR NOT u.all_public_teams)
         AND NOT EXISTS (SELECT FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id)) AS ids) h
     WHERE s.organization_id = o.id AND s.active AND s.notification_subscription_types && $3::text[]
       AND (v.team_id IS NULL OR v.team_id <> ALL(h.ids))
     ORDER BY s.created_at, s.id LIMIT $2::int) s`,
);

/** Where an issue comes from, what it has to fulfil, and the placeholder of the subscription that asks for it. */
interface ViewPart {
  readonly table: string;
  readonly alias: string;
  readonly subscription: string;
  readonly condition: string;
}

/** The issues that one subscription matches; the parts of several are joined to one statement. */
export const issuesOfView = ({ table, alias, subscription, condition }: ViewPart): string =>
  `SELECT ${alias}.id AS issue, ${subscription} AS subscription FROM ${table} ${alias} WHERE ${condition}`;
