import { Entity, Index } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computedBy, constant, day, flag, given, longText, moment, reference, text } from '../entity/fields.js';
import { accessWith } from '../entity/owned-access.queries.js';
import { NullableDateComparator } from '../graphql/filters.js';
import { typeNamed } from '../graphql/relations.js';
import { InThePast } from '../graphql/rules.js';
import { DateTime, JSONObject } from '../graphql/scalars.js';
import { connectionsOf, linked } from '../store/connections.js';
import { through } from '../store/filter-keys.js';
import { addFilterKey, bySlug, listedLive } from '../store/define-entity.js';
import { hasNotes, stageSort } from './releases.conditions.queries.js';
import { definePlace, placeOf } from '../entity/places.js';
import { releaseUrl } from '../values/urls.js';

const VERSION_MAX = 255;

/** What goes out together (docs/reference/tracker.md#release). */
@Entity('releases')
@Index('releases_page', ['organizationId', 'createdAt', 'id'])
@Index('releases_slug', ['organizationId', 'slugId'], { unique: true })
@Index('releases_of_pipeline', ['pipelineId', 'createdAt', 'id'])
@Index('releases_of_stage', ['stageId', 'createdAt', 'id'])
@Index('releases_version', ['pipelineId', 'version'], {
  unique: true,
  where: 'version IS NOT NULL AND trashed IS NOT TRUE',
})
@Index('releases_of_commit', ['pipelineId', 'commitSha'], { where: 'commit_sha IS NOT NULL' })
export class Release extends rowOf({
  // those of a pipeline are written one after the other
  pipelineId: reference('ReleasePipeline', { onDelete: 'CASCADE', owner: true, hold: 'change', update: false }),
  stageId: reference('ReleaseStage', { onDelete: 'CASCADE', create: 'optional', seedDefault: true }),
  name: text(),
  description: longText({ nullable: true, filter: false }),
  version: text({ nullable: true, max: VERSION_MAX }),
  commitSha: text({ nullable: true, max: VERSION_MAX, filter: false }),
  slugId: text({ create: false, update: false, filter: false, seed: false }),
  creatorId: reference('User', { nullable: true, create: false, update: false, through: false, seed: 'as' }),
  startDate: day({ nullable: true, filter: false }),
  targetDate: day({ nullable: true, filter: false }),
  startedAt: moment({ nullable: true, filter: false }),
  completedAt: moment({ nullable: true, filter: NullableDateComparator }),
  canceledAt: moment({ nullable: true, create: false, update: false, filter: false }),
  trashed: flag({ nullable: true, create: false, filter: false, seed: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  createdAt: given<Date>(() => DateTime, { rules: [InThePast()] }),
  ...computedBy(() => String, 'url'),
  ...computedBy(() => JSONObject, 'currentProgress', 'progressHistory'),
  ...computedBy(() => [typeNamed('ReleaseNote')], 'releaseNotes'),
  autoArchivedAt: { ...constant(() => DateTime, null), options: { nullable: true, filter: false, event: false } },
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Release: Release;
  }
}

export const releases = declareEntity('Release', Release, {
  alias: 'r',
  access: accessWith('ReleasePipeline', 'pipelineId'),
  lookup: bySlug,
  listed: listedLive,
  filter: { hasReleaseNotes: { key: hasNotes, input: 'BooleanComparator' } },
  sorts: { stage: stageSort },
  event: { word: 'release', fires: true },
  mutations: ['create', 'update', 'archive', 'unarchive'],
  seeds: {
    under: 'pipelineId',
    as: 'releases',
    filled: ({ creatorId }) => ({ slugId: newMark(12), creatorId }),
  },
  changes: { name: 'release' },
  title: (a) => `${a}.name`,
});

addFilterKey('Issue', 'releases', through('Release', 'issue_to_releases', 'issue_id', 'release_id'));

/** The connections below a Release, and an issue's releases. */
export const releaseConnections = connectionsOf('Release', {
  issues: linked('Issue', 'issue_to_releases', 'release_id', 'issue_id'),
});
export const releasesOfIssue = connectionsOf('Issue', {
  releases: linked('Release', 'issue_to_releases', 'issue_id', 'release_id'),
}).releases;

definePlace('Release', async (tx, id, { web, urlKey }) => {
  const release = await tx.sql.findOneByOrFail(Release, { id });
  const { teams } = await placeOf(tx, { entity: 'ReleasePipeline', id: release.pipelineId }, { web, urlKey });
  return { teams, url: releaseUrl(web, urlKey, release), shown: {} };
});
