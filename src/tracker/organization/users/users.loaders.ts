import { statement } from '../../../kernel/database/statement.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { isShown } from '../../store/hidden-teams.js';

/* Tables of other rooms: issues. They are counted. */

/** By user id, without those in private teams that the caller is not in. */
export const createdIssueCountOfUser = keyedLoader<{ count: number }, number>({
  statement: statement(
    'tracker_created_counts_of_users',
    `SELECT i.creator_id AS key, count(*)::int AS count FROM issues i WHERE i.creator_id = ANY($1::uuid[])
       AND ${isShown('i.team_id', '$2::uuid[]')} GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids, viewer.hiddenTeamIds],
  answer: ([row]) => row?.count ?? 0,
});
