import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, computedBy, constant, flag, longText, moment, reference, text } from '../../entity/fields.js';
import { typeNamed } from '../../graphql/relations.js';
import { Color } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { LabelGroupType } from '../../labels/label-group.js';
import { connectionsOf } from '../../store/connections.js';
import { pickColor } from '../../values/colors.js';

const byServer = { nullable: true, create: false, update: false } as const;

/** A label of initiatives (docs/reference/tracker.md#initiativelabel). */
@Entity('initiative_labels')
@Index('initiative_labels_name', { synchronize: false })
@Index('initiative_labels_page', ['organizationId', 'createdAt', 'id'])
@Index('initiative_labels_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class InitiativeLabel extends rowOf({
  name: text(),
  color: longText({ create: 'optional', rules: [Color()], filter: false }),
  description: longText({ nullable: true, filter: false }),
  isGroup: flag({ default: false }),
  parentId: reference('InitiativeLabel', {
    nullable: true,
    onDelete: 'SET NULL',
    backed: 'children',
    through: 'InitiativeLabelFilter',
  }),
  creatorId: reference('User', { ...byServer, seed: false }),
  lastAppliedAt: moment({ ...byServer, filter: false, event: false, seed: false }),
  retiredById: reference('User', { ...byServer, through: false, event: false, seed: 'retired_by' }),
  ...computed(() => LabelGroupType, 'groupType'),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    InitiativeLabel: InitiativeLabel;
  }
}

export const initiativeLabels = declareEntity('InitiativeLabel', InitiativeLabel, {
  alias: 'il',
  nestsCollectionFilter: true,
  event: { word: 'initiativeLabel', fires: true },
  seeds: {
    as: 'initiative_labels',
    isFound: true,
    order: (a) => `lower(${a}.name)`,
    filled: ({ creatorId }) => ({ creatorId, color: pickColor() }),
  },
  changes: { name: 'initiative_label', follows: ['last_applied_at'] },
  title: (a) => `${a}.name`,
});

/** The initiatives that have a label, and the labels of an initiative in the order in which they were put on. */
export const initiativesOfLabel = connectionsOf('InitiativeLabel', {
  initiatives: {
    entity: 'Initiative' as const,
    link: (a: string, parent: string) => `${a}.label_ids @> ARRAY[${parent}]`,
  },
}).initiatives;
export const labelsOfInitiative = connectionsOf('Initiative', {
  labels: {
    entity: 'InitiativeLabel' as const,
    join: (parent: string) => `JOIN initiatives o ON o.id = ${parent}`,
    link: (a: string) => `${a}.id = ANY(o.label_ids)`,
    natural: { sql: 'array_position(o.label_ids, il.id)', kind: 'number' as const, descending: false },
  },
}).labels;
