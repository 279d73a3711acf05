import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../entity/declare.js';
import { constant, number, reference, text, url } from '../entity/fields.js';
import { accessWith, seenWithOne } from '../entity/owned-access.queries.js';
import { DateTime } from '../graphql/scalars.js';

const LABEL_MAX = 255;
const URL_MAX = 2_048;
const owner = { nullable: true, onDelete: 'CASCADE', owner: true, update: false } as const;

/** A link of a project, team, cycle, initiative or release to something elsewhere (docs/reference/tracker.md#entityexternallink). */
@Entity('entity_external_links')
@Check('entity_external_links_check', 'num_nonnulls(project_id, team_id, cycle_id, initiative_id, release_id) = 1')
@Index('entity_external_links_page', ['organizationId', 'createdAt', 'id'])
@Index('entity_external_links_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('entity_external_links_of_team', ['teamId'], { where: 'team_id IS NOT NULL' })
@Index('entity_external_links_of_cycle', ['cycleId'], { where: 'cycle_id IS NOT NULL' })
@Index('entity_external_links_of_initiative', ['initiativeId', 'createdAt', 'id'], {
  where: 'initiative_id IS NOT NULL',
})
@Index('entity_external_links_of_release', ['releaseId', 'createdAt', 'id'], { where: 'release_id IS NOT NULL' })
export class EntityExternalLink extends rowOf({
  projectId: reference('Project', { ...owner, backed: 'externalLinks' }),
  teamId: reference('Team', { ...owner, shown: false }),
  cycleId: reference('Cycle', { ...owner, shown: false }),
  initiativeId: reference('Initiative', { ...owner, backed: 'links' }),
  releaseId: reference('Release', { ...owner, backed: 'links', shown: false }),
  label: text({ max: LABEL_MAX }),
  url: url({ max: URL_MAX }),
  sortOrder: number({ default: 0 }),
  creatorId: reference('User', { nullable: true, create: false, update: false, seed: false }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    EntityExternalLink: EntityExternalLink;
  }
}

export const externalLinks = declareEntity('EntityExternalLink', EntityExternalLink, {
  alias: 'xl',
  access: seenWithOne(
    accessWith('Project', 'projectId'),
    accessWith('Team', 'teamId'),
    accessWith('Cycle', 'cycleId'),
    accessWith('Initiative', 'initiativeId'),
    accessWith('Release', 'releaseId'),
  ),
  isUnfiltered: true,
  isUnlisted: true,
  event: { word: 'externalLink' },
  mutations: ['create', 'update', 'delete'],
  seeds: (['projectId', 'teamId', 'cycleId', 'initiativeId', 'releaseId'] as const).map((under) => ({
    under,
    as: 'links',
    filled: ({ creatorId }: { creatorId: string }) => ({ creatorId }),
  })),
  changes: { name: 'external_link' },
  title: (a) => `${a}.label`,
});
