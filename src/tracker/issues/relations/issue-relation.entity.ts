import { registerEnumType } from '@nestjs/graphql';
import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, reference, word } from '../../entity/fields.js';
import { accessWith, seenWithAll } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

export enum IssueRelationType {
  blocks = 'blocks',
  duplicate = 'duplicate',
  related = 'related',
  similar = 'similar',
}
registerEnumType(IssueRelationType, { name: 'IssueRelationType' });

/** `issue` blocks, duplicates or is like `relatedIssue`; two issues have one relation at most. */
@Entity('issue_relations')
@Index('issue_relations_page', ['organizationId', 'createdAt', 'id'])
@Index('issue_relations_of_issue', ['issueId', 'createdAt', 'id'])
@Index('issue_relations_of_related', ['relatedIssueId', 'createdAt', 'id'])
@Index('issue_relations_pair', { synchronize: false })
@Index('issue_relations_of_left_state', ['leftStateId'], { where: 'left_state_id IS NOT NULL' })
@Check('issue_relations_check', 'issue_id <> related_issue_id')
export class IssueRelation extends rowOf({
  issueId: reference('Issue', { onDelete: 'CASCADE', owner: true, backed: 'relations' }),
  relatedIssueId: reference('Issue', { onDelete: 'CASCADE', backed: 'inverseRelations', seed: 'issue' }),
  type: word({ oneOf: Object.values(IssueRelationType), input: () => IssueRelationType }),
  /** The state that a duplicate left. */
  leftStateId: reference('WorkflowState', {
    nullable: true,
    onDelete: 'SET NULL',
    create: false,
    update: false,
    shown: false,
    event: false,
    seed: false,
  }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    IssueRelation: IssueRelation;
  }
}

export const issueRelationships = declareEntity('IssueRelation', IssueRelation, {
  alias: 'ir',
  access: seenWithAll(accessWith('Issue', 'issueId'), accessWith('Issue', 'relatedIssueId')),
  isUnfiltered: true,
  event: { word: 'issueRelation' },
  mutations: ['update', 'delete'],
  seeds: { under: 'issueId', as: 'relations' },
  changes: { name: 'issue_relation' },
});
