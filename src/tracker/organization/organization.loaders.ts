import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { columnsOf } from '../../kernel/database/columns.js';
import { Organization } from '../store/organization.entity.js';
import { isShown } from '../store/hidden-teams.js';

/* Tables of other rooms: issues. They are counted. */

interface Counts {
  users: number;
  issues: number;
}

/** By organization id, the caller's only: active users, and issues with the archived ones. */
export const countsOfOrganization = keyedLoader<Counts, Counts>({
  statement: statement(
    'tracker_organization_counts',
    `SELECT g.id AS key, (SELECT count(*)::int FROM tracker_users u WHERE u.organization_id = g.id AND u.active) AS users,
       (SELECT count(*)::int FROM issues i WHERE i.organization_id = g.id AND ${isShown('i.team_id', '$2::uuid[]')}) AS issues
     FROM unnest($1::uuid[]) AS g (id)`,
  ),
  values: (ids, viewer) => [ids.filter((id) => id === viewer.organizationId), viewer.hiddenTeamIds],
  answer: ([counts]) => counts ?? { users: 0, issues: 0 },
});

/** By id; the caller's only. */
export const organizationById = keyedLoader<Organization, Organization | null>({
  statement: statement(
    'tracker_load_Organization',
    `SELECT g.id AS key, ${columnsOf(Organization, 'g')} FROM organizations g WHERE g.id = ANY($1::uuid[])`,
  ),
  values: (ids, viewer) => [ids.filter((id) => id === viewer.organizationId)],
  answer: ([organization]) => organization ?? null,
});
