import { statement } from '../../../kernel/database/statement.js';
import { progressBy } from '../../query/progress.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { columnsOf } from '../../../kernel/database/columns.js';
import { cycleSql } from '../../values/cycle-times.queries.js';
import { Cycle } from './cycle.entity.js';

export const progressOfCycle = progressBy('tracker_progress_of_cycles', 'cycle_id');

/** Whether it is the team's next or previous one, by cycle id. */
export const neighbourhoodOfCycle = keyedLoader<Neighbourhood, Neighbourhood>({
  statement: statement(
    'tracker_cycle_neighbours',
    `SELECT y.id AS key, ${cycleSql.isNext('y', '$3::timestamptz')} AS "isNext",
       ${cycleSql.isPrevious('y', '$3::timestamptz')} AS "isPrevious"
     FROM cycles y WHERE y.id = ANY($1::uuid[]) AND y.organization_id = $2::uuid`,
  ),
  values: (ids, viewer, now) => [ids, viewer.organizationId, now],
  answer: ([row]) => row ?? { isNext: false, isPrevious: false },
});

interface Neighbourhood {
  isNext: boolean;
  isPrevious: boolean;
}

/** The cycle under way, by team id. */
export const activeCycleOfTeam = keyedLoader<Cycle, Cycle | null>({
  statement: statement(
    'tracker_active_cycles',
    `SELECT DISTINCT ON (y.team_id) y.team_id AS key, ${columnsOf(Cycle, 'y')} FROM cycles y
     WHERE y.team_id = ANY($1::uuid[]) AND y.organization_id = $2::uuid AND y.archived_at IS NULL
       AND ${cycleSql.isActive('y', '$3::timestamptz')} ORDER BY y.team_id, y.starts_at`,
  ),
  values: (ids, viewer, now) => [ids, viewer.organizationId, now],
  answer: ([cycle]) => cycle ?? null,
});
