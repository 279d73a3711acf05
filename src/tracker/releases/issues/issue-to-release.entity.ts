import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, reference } from '../../entity/fields.js';
import { accessWith, seenWithAll } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

/** An issue of a release (docs/reference/tracker.md#release). */
@Entity('issue_to_releases')
@Index('issue_to_releases_pair', ['issueId', 'releaseId'], { unique: true })
@Index('issue_to_releases_page', ['organizationId', 'createdAt', 'id'])
@Index('issue_to_releases_of_release', ['releaseId', 'createdAt', 'id'])
export class IssueToRelease extends rowOf({
  // those of an issue wait for each other, so that a pair is there once
  issueId: reference('Issue', { onDelete: 'CASCADE', owner: true, hold: 'change' }),
  releaseId: reference('Release', { onDelete: 'CASCADE' }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    IssueToRelease: IssueToRelease;
  }
}

export const issueReleases = declareEntity('IssueToRelease', IssueToRelease, {
  alias: 'itr',
  access: seenWithAll(accessWith('Issue', 'issueId'), accessWith('Release', 'releaseId')),
  isUnfiltered: true,
  event: { word: 'issueToRelease' },
  mutations: ['create', 'delete'],
  seeds: [
    { under: 'releaseId', as: 'issues', names: { property: 'issueId' } },
    { under: 'issueId', as: 'releases', names: { property: 'releaseId' } },
  ],
  changes: { name: 'issue_to_release' },
});
