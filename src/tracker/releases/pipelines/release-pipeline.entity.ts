import { InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { Derived } from '../../../kernel/database/columns.js';
import { newMark } from '../../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, computedBy, constant, flag, givenAlways, moment, text, texts, word } from '../../entity/fields.js';
import { EqualityOf } from '../../graphql/filters.js';
import { OptionalField } from '../../graphql/fields.js';
import { typeNamed } from '../../graphql/relations.js';
import { Pattern, References } from '../../graphql/rules.js';
import { connectionsOf, linked, of } from '../../store/connections.js';
import { through } from '../../store/filter-keys.js';
import { ownName } from '../../store/sort-keys.js';
import { addFilterKey, byUuid, listedLive, type Lookup } from '../../store/define-entity.js';
import { withStages } from '../stages/seeded-stages.js';
import { pipelineAccess } from './release-pipelines.conditions.queries.js';
import { definePlace, teamsById } from '../../entity/places.js';
import { releasePipelineUrl } from '../../values/urls.js';
import { ReleasePipelineTeam } from './release-pipeline-team.entity.js';

export enum ReleasePipelineType {
  continuous = 'continuous',
  scheduled = 'scheduled',
}
registerEnumType(ReleasePipelineType, { name: 'ReleasePipelineType' });

@InputType()
export class ReleasePipelineTypeComparator extends EqualityOf<ReleasePipelineType>(() => ReleasePipelineType) {
  @OptionalField(() => Boolean) null?: boolean | null;
}

/** The last part of a url, which could not be told from a made-up one where it ends as they do. */
const OWN_SLUG = /^(?!(.*-)?[0-9a-f]{12}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** By its id, its `slugId`, or the last part of its url. */
function byOwnSlug(id: string): Lookup {
  const made = /(?:^|-)([0-9a-f]{12})$/.exec(id)?.[1];
  return byUuid(id) ?? { by: 'slug_id', value: made ?? id };
}

/** The way of releases to those who use them (docs/reference/tracker.md#releasepipeline). */
@Entity('release_pipelines')
@Check('release_pipelines_type_check', `type IN ('scheduled', 'continuous')`)
@Index('release_pipelines_page', ['organizationId', 'createdAt', 'id'])
@Index('release_pipelines_slug', ['organizationId', 'slugId'], { unique: true })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ReleasePipeline extends rowOf({
  name: text(),
  slugId: text({ create: 'optional', filter: false, rules: [Pattern(OWN_SLUG)], seed: false }),
  type: word({
    oneOf: Object.values(ReleasePipelineType),
    enum: () => ReleasePipelineType,
    default: 'scheduled',
    filter: ReleasePipelineTypeComparator,
  }),
  isProduction: flag({ default: false }),
  autoGenerateReleaseNotesOnCompletion: flag({ default: false, filter: false }),
  rolloverIssuesOnCompletion: flag({ default: false, filter: false }),
  includePathPatterns: texts({ default: [], filter: false }),
  trashed: flag({ nullable: true, create: false, update: false, filter: false, seed: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  teamIds: givenAlways<string[]>(() => [String], { rules: [References()] }),
  ...computedBy(() => Int, 'approximateReleaseCount'),
  ...computedBy(() => String, 'url'),
  ...computed(() => typeNamed('ReleaseNote'), 'latestReleaseNote'),
  releaseNoteTemplate: constant(() => typeNamed('Template'), null),
}) {
  /** Sorted. */
  @Derived((a) => `ARRAY(SELECT x.team_id FROM release_pipeline_teams x WHERE x.pipeline_id = ${a}.id ORDER BY 1)`)
  teamIds: string[];
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleasePipeline: ReleasePipeline;
  }
}

export const releasePipelines = declareEntity('ReleasePipeline', ReleasePipeline, {
  alias: 'rp',
  access: pipelineAccess,
  listed: listedLive,
  lookup: byOwnSlug,
  filter: {
    teams: {
      key: through('Team', 'release_pipeline_teams', 'pipeline_id', 'team_id'),
      input: 'TeamCollectionFilter',
    },
  },
  sorts: { name: ownName('name') },
  event: { word: 'releasePipeline' },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    as: 'release_pipelines',
    unique: 'name',
    completed: withStages,
    filled: () => ({ slugId: newMark(12) }),
  },
  changes: { name: 'release_pipeline' },
  title: (a) => `${a}.name`,
});

addFilterKey(
  'Team',
  'releasePipelines',
  through('ReleasePipeline', 'release_pipeline_teams', 'team_id', 'pipeline_id'),
);

/** The connections below a ReleasePipeline, and a team's pipelines. */
export const pipelineConnections = connectionsOf('ReleasePipeline', {
  releases: of('Release', 'pipeline_id'),
  stages: {
    ...of('ReleaseStage', 'pipeline_id'),
    natural: { sql: 'rs.position', kind: 'number' as const, descending: false },
  },
  teams: linked('Team', 'release_pipeline_teams', 'pipeline_id', 'team_id'),
});
export const pipelinesOfTeam = connectionsOf('Team', {
  releasePipelines: linked('ReleasePipeline', 'release_pipeline_teams', 'team_id', 'pipeline_id'),
}).releasePipelines;

definePlace('ReleasePipeline', async (tx, id, { web, urlKey }) => {
  const pipeline = await tx.sql.findOneByOrFail(ReleasePipeline, { id });
  const teamIds = (await tx.sql.findBy(ReleasePipelineTeam, { pipelineId: id })).map(({ teamId }) => teamId);
  const teams = await teamsById(tx, teamIds);
  const { name, slugId, type } = pipeline;
  const url = releasePipelineUrl(web, urlKey, pipeline);
  return { teams, url, shown: { pipeline: { id, name, slugId, type, url } } };
});
