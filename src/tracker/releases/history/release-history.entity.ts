import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import type { FieldChange } from '../../entity/field-history.js';
import { constant, jsonList, reference } from '../../entity/fields.js';
import { DateTime } from '../../graphql/scalars.js';
import { accessWith } from '../../entity/owned-access.queries.js';

/** What one mutation changed of a release (docs/reference/tracker.md#release). */
@Entity('release_history')
@Index('release_history_page', ['organizationId', 'createdAt', 'id'])
@Index('release_history_of_release', ['releaseId', 'createdAt', 'id'])
export class ReleaseHistory extends rowOf({
  releaseId: reference('Release', { onDelete: 'CASCADE', owner: true, backed: 'history' }),
  entries: jsonList<FieldChange>(),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleaseHistory: ReleaseHistory;
  }
}

export const releaseHistory = declareEntity('ReleaseHistory', ReleaseHistory, {
  alias: 'rh',
  access: accessWith('Release', 'releaseId'),
  isUnfiltered: true,
  changes: { name: 'release_history' },
});
