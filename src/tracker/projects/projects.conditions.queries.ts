import type { SortKey } from '../store/sort-keys.js';
import { isShown } from '../store/hidden-teams.js';
import type { OwnedKey, ValueKey } from '../store/filter-keys.js';
import type { QueryScope } from '../store/query-scope.js';
import { milestoneStatus } from './milestones/milestone-status.queries.js';

/* Hand-written: parts of conditions on projects. */

/** As SQL: the health that a project's newest update says. */
export const healthOfProject = (a: string): string =>
  `(SELECT u.health FROM project_updates u WHERE u.project_id = ${a}.id AND u.archived_at IS NULL
    ORDER BY u.created_at DESC, u.id DESC LIMIT 1)`;

/** On track first, then at risk, off track, and without an update that says so. */
export const byHealth: SortKey = (a) => [
  {
    sql: `array_position(ARRAY['onTrack', 'atRisk', 'offTrack'], ${healthOfProject(a)})`,
    kind: 'number',
    nullable: true,
  },
];

/** The project has a relation of this type, at this end, with one that the caller sees. */
export const hasProjectRelation = (
  type: 'blocks' | 'dependency' | 'related',
  end: 'project' | 'related' | 'either',
): ValueKey => ({
  is: 'boolean',
  sql: (alias, scope) => {
    const from = (own: string, other: string): string => {
      const hidden = scope.hiddenTeams;
      const seen = hidden
        ? ` AND EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = r.${other} AND ${isShown('x.team_id', hidden)})`
        : '';
      return `EXISTS (SELECT 1 FROM project_relations r WHERE r.${own} = ${alias}.id AND r.type = '${type}'${seen})`;
    };
    const [project, related] = [from('project_id', 'related_project_id'), from('related_project_id', 'project_id')];
    return end === 'project' ? project : end === 'related' ? related : `(${project} OR ${related})`;
  },
});

/** The milestones of the project that have this status now. */
export const milestonesIn = (status: 'next' | 'done'): OwnedKey => ({
  is: 'many',
  entity: 'ProjectMilestone',
  owner: (e: string, scope: QueryScope) =>
    `CASE WHEN ${milestoneStatus(e, scope.moment)} = '${status}' THEN ${e}.project_id END`,
});
