import { type EntityAccess, isShown } from '../../store/hidden-teams.js';

/* Hand-written: a part of conditions, for the many teams of a pipeline. */

/** Seen with any of its teams; one without teams is everybody's. */
export const pipelineAccess: EntityAccess<{ teamIds: string[] }> = {
  condition: (
    a,
    hidden,
  ) => `(EXISTS (SELECT 1 FROM release_pipeline_teams x WHERE x.pipeline_id = ${a}.id AND ${isShown('x.team_id', hidden)})
    OR NOT EXISTS (SELECT 1 FROM release_pipeline_teams x WHERE x.pipeline_id = ${a}.id))`,
  isHidden: ({ teamIds }, isHiddenTeam) => teamIds.length > 0 && teamIds.every(isHiddenTeam),
};
