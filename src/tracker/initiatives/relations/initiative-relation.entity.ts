import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, number, reference } from '../../entity/fields.js';
import { DateTime } from '../../graphql/scalars.js';

/** An initiative is below another (docs/reference/tracker.md#initiativerelation). */
@Entity('initiative_relations')
@Index('initiative_relations_of_related', ['relatedInitiativeId'], { unique: true })
@Index('initiative_relations_page', ['organizationId', 'createdAt', 'id'])
@Index('initiative_relations_of_initiative', ['initiativeId'])
@Check('initiative_relations_check', 'initiative_id <> related_initiative_id')
export class InitiativeRelation extends rowOf({
  initiativeId: reference('Initiative', { onDelete: 'CASCADE', update: false }),
  relatedInitiativeId: reference('Initiative', { onDelete: 'CASCADE', update: false }),
  sortOrder: number({ default: 0, filter: false, seed: false }),
  userId: reference('User', { nullable: true, create: false, update: false, seed: false }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    InitiativeRelation: InitiativeRelation;
  }
}

export const initiativeRelationships = declareEntity('InitiativeRelation', InitiativeRelation, {
  alias: 'ir',
  isUnfiltered: true,
  event: { word: 'initiativeRelation' },
  mutations: ['create', 'update', 'delete'],
  seeds: {
    under: 'relatedInitiativeId',
    as: 'parent',
    names: { property: 'initiativeId', isOne: true },
    filled: ({ creatorId }) => ({ userId: creatorId }),
  },
  changes: { name: 'initiative_relation' },
});
