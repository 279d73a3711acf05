import { statement, StatementShapes, type Statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: whom news concern, and what they are told, for all news of a mutation in one statement. Tables of other
 * rooms: comments, documents, initiative_relations, initiative_to_projects, issue_subscribers, issues, project_members,
 * tracker_notification_subscriptions, tracker_notifications, tracker_webhooks. News are of things of all rooms.
 */

/** People and applications' users of an organization whose names may stand in a text after `@`, or in an address. */
export const MENTIONABLE = statement(
  'tracker_mentionable',
  `SELECT t.n::int AS n, u.id, u.display_name AS "displayName"
   FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS t (organization, body, n)
   JOIN tracker_users u ON u.organization_id = t.organization AND u.active AND u.can_be_mentioned
     AND (strpos(lower(t.body), '@' || lower(u.display_name)) > 0
       OR strpos(lower(t.body), '/profiles/' || lower(u.display_name)) > 0)`,
);

export interface Mentionable extends Record<string, unknown> {
  readonly n: number;
  readonly id: string;
  readonly displayName: string;
}

/** Where the people of a cause come from: the cause names them, or they are those that a thing has. */
export type Audience =
  | 'named'
  | 'subscribers'
  | 'documentSubscribers'
  | 'projectMembers'
  | 'thread'
  | 'issueSubscriptions'
  | 'updateSubscriptions'
  | 'namedSubscriptions';

/** As SQL: the people of an audience, of the causes `c` of the news `n`. */
const audiences: Record<Audience, string> = {
  named: `SELECT c.news, c.rank, c.type, p.id, NULL::uuid FROM causes c, unnest(c.users) AS p (id)
    WHERE c.audience = 'named'`,
  subscribers: `SELECT c.news, c.rank, c.type, s.user_id, NULL::uuid FROM causes c JOIN news n ON n.n = c.news
    JOIN issue_subscribers s ON s.issue_id = n.issue WHERE c.audience = 'subscribers'`,
  documentSubscribers: `SELECT c.news, c.rank, c.type, s.id, NULL::uuid FROM causes c JOIN news n ON n.n = c.news
    JOIN documents d ON d.id = n.document, unnest(d.subscriber_ids) AS s (id) WHERE c.audience = 'documentSubscribers'`,
  projectMembers: `SELECT c.news, c.rank, c.type, m.user_id, NULL::uuid FROM causes c JOIN news n ON n.n = c.news
    JOIN project_members m ON m.project_id = n.project WHERE c.audience = 'projectMembers'`,
  thread: `SELECT c.news, c.rank, c.type, m.user_id, NULL::uuid FROM causes c JOIN news n ON n.n = c.news
    JOIN comments m ON m.id = n.comment OR m.parent_id = n.comment WHERE c.audience = 'thread' AND m.user_id IS NOT NULL`,
  issueSubscriptions: `SELECT c.news, c.rank, c.type, s.subscriber_id, s.id FROM causes c JOIN news n ON n.n = c.news
    JOIN issues i ON i.id = n.issue
    JOIN tracker_notification_subscriptions s ON s.organization_id = n.organization AND s.active
      AND c.type = ANY(s.notification_subscription_types)
      AND (s.team_id = i.team_id OR s.project_id = i.project_id OR s.cycle_id = i.cycle_id
        OR s.label_id = ANY(i.label_ids) OR s.user_id = i.assignee_id)
    WHERE c.audience = 'issueSubscriptions'`,
  updateSubscriptions: `SELECT c.news, c.rank, c.type, s.subscriber_id, s.id FROM causes c JOIN news n ON n.n = c.news
    JOIN tracker_notification_subscriptions s ON s.organization_id = n.organization AND s.active
      AND c.type = ANY(s.notification_subscription_types)
      AND (s.project_id = n.project OR s.team_id = ANY(n.teams) OR s.initiative_id = n.initiative
        OR s.initiative_id IN (SELECT x.initiative_id FROM initiative_to_projects x WHERE x.project_id = n.project)
        OR s.include_sub_initiative_updates AND s.initiative_id IN (
          WITH RECURSIVE above (id, level) AS (
            SELECT n.initiative, 0 WHERE n.initiative IS NOT NULL
            UNION ALL SELECT x.initiative_id, 0 FROM initiative_to_projects x WHERE x.project_id = n.project
            UNION ALL SELECT r.initiative_id, a.level + 1 FROM above a
              JOIN initiative_relations r ON r.related_initiative_id = a.id WHERE a.level < 5)
          SELECT a.id FROM above a))
    WHERE c.audience = 'updateSubscriptions'`,
  namedSubscriptions: `SELECT c.news, c.rank, c.type, s.subscriber_id, s.id FROM causes c
    JOIN tracker_notification_subscriptions s ON s.id = ANY(c.subscriptions) WHERE c.audience = 'namedSubscriptions'`,
};

const shapes = new StatementShapes('tracker_notify');

/**
 * Tells of news ($1: a JSON list) whom their causes ($2: a JSON list) concern: the one who acts is told nothing, nor who
 * does not see one of the news' teams (none: it is everybody's). Of several causes by which a thing concerns a person the first is told.
 * Who is mentioned in an issue subscribes to it. Answers what was told, with the application that its webhook tells.
 *
 * While a clock stands still one person's notifications get times of their own, so that they have an order.
 */
export const notifying = (asked: readonly Audience[]): Statement =>
  shapes.of(
    asked.join(' '),
    () => `WITH news AS MATERIALIZED (
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS n (n int, organization uuid, actor uuid, "isTold" boolean,
       at timestamptz, thing uuid, issue uuid, project uuid, document uuid, initiative uuid, comment uuid,
       "projectUpdate" uuid, "initiativeUpdate" uuid, emoji text, bot jsonb, teams uuid[])),
   causes AS MATERIALIZED (
     SELECT * FROM jsonb_to_recordset($2::jsonb) AS c (news int, rank int, type text, audience text, users uuid[], subscriptions uuid[])),
   concerned (news, rank, type, user_id, subscription_id) AS (${asked.map((audience) => audiences[audience]).join(' UNION ALL ')}),
   told AS MATERIALIZED (
     SELECT drawn_uuid($3::text, row_number() OVER (ORDER BY x.news, x.user_id)) AS id, x.*, w.application_id, CASE
         WHEN l.at >= n.at AND l.at < n.at + interval '1 second' THEN l.at + interval '1 millisecond' ELSE n.at END
         + (row_number() OVER (PARTITION BY x.user_id ORDER BY x.news) - 1) * interval '1 millisecond' AS at
     FROM (
       SELECT (array_agg(c.news ORDER BY c.rank))[1] AS news, c.user_id, (array_agg(c.type ORDER BY c.rank))[1] AS type,
         bool_or(c.type LIKE '%Mention') AS "isMentioned",
         coalesce(array_agg(c.subscription_id) FILTER (WHERE c.subscription_id IS NOT NULL), '{}') AS subscriptions
       FROM concerned c JOIN news n ON n.n = c.news GROUP BY n.thing, c.user_id) x
     JOIN news n ON n.n = x.news AND (n."isTold" OR x.user_id <> n.actor)
     JOIN tracker_users u ON u.id = x.user_id AND u.organization_id = n.organization AND u.active
     LEFT JOIN tracker_webhooks w ON w.organization_id = u.organization_id AND w.application_id = u.application_id
       AND w.enabled AND 'AppUserNotification' = ANY(w.resource_types)
     LEFT JOIN LATERAL (SELECT max(o.created_at) AS at FROM tracker_notifications o
       WHERE o.organization_id = u.organization_id AND o.user_id = u.id) l ON true
     WHERE n.teams = '{}' OR EXISTS (SELECT FROM teams t WHERE t.id = ANY(n.teams)
       AND (NOT t.private AND u.all_public_teams
         OR EXISTS (SELECT FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id)))),
   followed AS (
     INSERT INTO issue_subscribers (issue_id, user_id) SELECT DISTINCT n.issue, t.user_id FROM told t JOIN news n ON n.n = t.news
     WHERE t."isMentioned" AND n.issue IS NOT NULL ON CONFLICT DO NOTHING),
   written AS (
     INSERT INTO tracker_notifications (id, organization_id, user_id, actor_id, type, thing_id, issue_id, project_id, document_id,
       initiative_id, comment_id, project_update_id, initiative_update_id, reaction_emoji, bot_actor, subscription_ids,
       created_at, updated_at)
     SELECT t.id, n.organization, t.user_id, n.actor, t.type, n.thing, n.issue, n.project, n.document, n.initiative, n.comment,
       n."projectUpdate", n."initiativeUpdate", n.emoji, n.bot, t.subscriptions, t.at, t.at
     FROM told t JOIN news n ON n.n = t.news)
   SELECT t.news, t.id, t.user_id AS "userId", t.type, t.at, t.application_id AS "applicationId"
   FROM told t ORDER BY t.news, t.at, t.id`,
  );

/** What was told to one person. */
export interface Told extends Record<string, unknown> {
  readonly news: number;
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  readonly at: Date;
  /** Whose webhook is told as well. */
  readonly applicationId: string | null;
}
