import { InputType, registerEnumType } from '@nestjs/graphql';
import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { flag, moment, number, reference, text, word } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { EqualityOf } from '../../graphql/filters.js';
import { OptionalField } from '../../graphql/fields.js';
import { Color } from '../../graphql/rules.js';
import { connectionsOf, of } from '../../store/connections.js';
import { listedLive } from '../../store/define-entity.js';
import { isDefaultStage } from './default-stages.js';

export enum ReleaseStageType {
  canceled = 'canceled',
  completed = 'completed',
  planned = 'planned',
  started = 'started',
}
registerEnumType(ReleaseStageType, { name: 'ReleaseStageType' });

@InputType()
export class ReleaseStageTypeComparator extends EqualityOf<ReleaseStageType>(() => ReleaseStageType) {
  @OptionalField(() => Boolean) null?: boolean | null;
}

/** Where releases of a pipeline stand (docs/reference/tracker.md#releasepipeline). */
@Entity('release_stages')
@Check('release_stages_type_check', `type IN ('planned', 'started', 'completed', 'canceled')`)
@Index('release_stages_page', ['organizationId', 'createdAt', 'id'])
@Index('release_stages_of_pipeline', ['pipelineId', 'position'])
@Index('release_stages_type', ['pipelineId', 'type'], { unique: true, where: `type <> 'started'` })
export class ReleaseStage extends rowOf({
  // those of a pipeline are written one after the other
  pipelineId: reference('ReleasePipeline', {
    onDelete: 'CASCADE',
    owner: true,
    hold: 'change',
    through: false,
    update: false,
  }),
  name: text(),
  color: text({ rules: [Color()], filter: false, seedDefault: true }),
  type: word({
    oneOf: Object.values(ReleaseStageType),
    enum: () => ReleaseStageType,
    update: false,
    filter: ReleaseStageTypeComparator,
    seedDefault: true,
  }),
  position: number({ filter: false, seedDefault: true }),
  frozen: flag({ default: false, filter: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
}) {
  declare type: keyof typeof ReleaseStageType;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleaseStage: ReleaseStage;
  }
}

export const releaseStages = declareEntity('ReleaseStage', ReleaseStage, {
  alias: 'rs',
  access: accessWith('ReleasePipeline', 'pipelineId'),
  listed: listedLive,
  event: { word: 'releaseStage' },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    under: 'pipelineId',
    as: 'stages',
    unique: 'name',
    order: (a) => `${a}.position`,
    isImplied: isDefaultStage,
  },
  changes: { name: 'release_stage' },
  title: (a) => `${a}.name`,
});

/** The connections below a ReleaseStage. */
export const stageConnections = connectionsOf('ReleaseStage', { releases: of('Release', 'stage_id') });
