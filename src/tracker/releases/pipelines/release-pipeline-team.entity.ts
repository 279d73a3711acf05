import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { reference } from '../../entity/fields.js';

/** A team whose releases go through a pipeline. */
@Entity('release_pipeline_teams')
@Index('release_pipeline_teams_pair', ['pipelineId', 'teamId'], { unique: true })
@Index('release_pipeline_teams_page', ['organizationId', 'createdAt', 'id'])
@Index('release_pipeline_teams_of_team', ['teamId'])
export class ReleasePipelineTeam extends rowOf({
  pipelineId: reference('ReleasePipeline', { onDelete: 'CASCADE' }),
  teamId: reference('Team', { onDelete: 'CASCADE' }),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleasePipelineTeam: ReleasePipelineTeam;
  }
}

/** Written with its pipeline: the wire has none. */
export const releasePipelineTeams = declareEntity('ReleasePipelineTeam', ReleasePipelineTeam, {
  alias: 'rpt',
  isHidden: true,
  seeds: { under: 'pipelineId', as: 'teams', names: { property: 'teamId' } },
  changes: { name: 'release_pipeline_team' },
});
