import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import type { FieldChange } from '../../entity/field-history.js';
import { constant, jsonList, reference } from '../../entity/fields.js';
import { DateTime } from '../../graphql/scalars.js';

/** What one mutation changed of an initiative (docs/reference/tracker.md#initiative). */
@Entity('initiative_history')
@Index('initiative_history_page', ['organizationId', 'createdAt', 'id'])
@Index('initiative_history_of_initiative', ['initiativeId', 'createdAt', 'id'])
export class InitiativeHistory extends rowOf({
  initiativeId: reference('Initiative', { onDelete: 'CASCADE', owner: true, backed: 'history' }),
  entries: jsonList<FieldChange>(),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    InitiativeHistory: InitiativeHistory;
  }
}

export const initiativeHistory = declareEntity('InitiativeHistory', InitiativeHistory, {
  alias: 'iy',
  isUnfiltered: true,
  changes: { name: 'initiative_history' },
});
