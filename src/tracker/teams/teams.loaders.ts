import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { columnsOf } from '../../kernel/database/columns.js';
import { TeamMembership } from '../store/team-membership.entity.js';

/* Tables of other rooms: issues. They are counted. */

interface IssueCounts {
  all: number;
  live: number;
}

/** By team id: all issues, and those not archived. */
export const issueCountsOfTeam = keyedLoader<IssueCounts, IssueCounts>({
  statement: statement(
    'tracker_issue_counts_of_teams',
    `SELECT i.team_id AS key, count(*)::int AS "all", count(*) FILTER (WHERE i.archived_at IS NULL)::int AS live
     FROM issues i WHERE i.team_id = ANY($1::uuid[]) GROUP BY 1`,
  ),
  values: (ids) => [ids],
  answer: ([counts]) => counts ?? { all: 0, live: 0 },
});

/** The caller's own, by team id. */
export const viewerMembershipOfTeam = keyedLoader<TeamMembership, TeamMembership | null>({
  statement: statement(
    'tracker_own_memberships',
    `SELECT m.team_id AS key, ${columnsOf(TeamMembership, 'm')} FROM team_memberships m
     WHERE m.team_id = ANY($1::uuid[]) AND m.user_id = $2::uuid`,
  ),
  values: (ids, viewer) => [ids, viewer.userId],
  answer: ([membership]) => membership ?? null,
});
