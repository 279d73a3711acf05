import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { isShown } from '../store/hidden-teams.js';

/* Tables of other rooms: issues, workflow_states. Projects, cycles and milestones progress with their issues. */

/** Points of the issues of a project or cycle (docs/reference/tracker.md#project). */
export interface Progress {
  scope: number;
  progress: number;
}

interface Points {
  scope: number | null;
  completed: number | null;
  started: number | null;
}

/** Of the issues that name it in this column. */
export const progressBy = (name: string, column: 'project_id' | 'cycle_id' | 'project_milestone_id') =>
  keyedLoader<Points, Progress>({
    statement: statement(
      name,
      `SELECT i.${column} AS key, sum(v.points) FILTER (WHERE w.type NOT IN ('canceled', 'duplicate')) AS scope,
         sum(v.points) FILTER (WHERE w.type = 'completed') AS completed,
         sum(v.points) FILTER (WHERE w.type = 'started') AS started
       FROM issues i JOIN workflow_states w ON w.id = i.state_id JOIN teams t ON t.id = i.team_id
       CROSS JOIN LATERAL (SELECT coalesce(i.estimate, t.default_issue_estimate) AS points) v
       WHERE i.${column} = ANY($1::uuid[]) AND i.organization_id = $2::uuid AND i.archived_at IS NULL
         AND ${isShown('i.team_id', '$3::uuid[]')} GROUP BY 1`,
    ),
    values: (ids, viewer) => [ids, viewer.organizationId, viewer.hiddenTeamIds],
    answer: ([points]) => {
      const scope = points?.scope ?? 0;
      const done = (points?.completed ?? 0) + 0.25 * (points?.started ?? 0);
      return { scope, progress: scope === 0 ? 0 : done / scope };
    },
  });
