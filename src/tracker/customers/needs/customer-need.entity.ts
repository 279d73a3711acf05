import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, constant, given, givenAlways, longText, moment, number, reference } from '../../entity/fields.js';
import { seenWithAll, seenWithAny } from '../../entity/owned-access.queries.js';
import { typeNamed } from '../../graphql/relations.js';
import { HttpUrl, InThePast, WholeNumber } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';
import { addFilterKey, listedLive } from '../../store/define-entity.js';
import { needsOf } from '../../store/customer-needs.queries.js';

const set = { nullable: true, create: false, update: false, seed: false } as const;

/** What a customer asks for (docs/reference/tracker.md#customerneed). */
@Entity('customer_needs')
@Index('customer_needs_page', ['organizationId', 'createdAt', 'id'])
@Index('customer_needs_of_customer', ['customerId', 'createdAt', 'id'], { where: 'customer_id IS NOT NULL' })
@Index('customer_needs_of_issue', ['issueId', 'createdAt', 'id'], { where: 'issue_id IS NOT NULL' })
@Index('customer_needs_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('customer_needs_of_original', ['originalIssueId'], { where: 'original_issue_id IS NOT NULL' })
@Index('customer_needs_of_attachment', ['attachmentId'], { where: 'attachment_id IS NOT NULL' })
@Index('customer_needs_of_comment', ['commentId'], { where: 'comment_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class CustomerNeed extends rowOf({
  customerId: reference('Customer', {
    nullable: true,
    onDelete: 'CASCADE',
    having: 'needs',
  }),
  issueId: reference('Issue', { nullable: true, onDelete: 'CASCADE', owner: true, backed: 'needs', having: 'needs' }),
  projectId: reference('Project', {
    nullable: true,
    onDelete: 'CASCADE',
    backed: 'needs',
    having: 'needs',
    create: false,
    update: false,
  }),
  originalIssueId: reference('Issue', { ...set, onDelete: 'SET NULL', through: false }),
  attachmentId: reference('Attachment', {
    nullable: true,
    onDelete: 'SET NULL',
    through: false,
    update: false,
    seed: false,
  }),
  commentId: reference('Comment', {
    nullable: true,
    onDelete: 'SET NULL',
    having: 'needs',
    update: false,
    seed: false,
  }),
  body: longText({ nullable: true, filter: false }),
  priority: number({ default: 0, rules: [WholeNumber(0, 1)] }),
  creatorId: reference('User', { ...set, through: false }),
  archivedAt: moment({ ...set, filter: false }),
  attachmentUrl: givenAlways<string>(() => String, { rules: [HttpUrl()] }),
  customerExternalId: givenAlways<string>(() => String),
  applyPriorityToRelatedNeeds: givenAlways<boolean>(() => Boolean, { create: false }),
  id: givenAlways<string>(() => String, { create: false }),
  createdAt: given<Date>(() => DateTime, { rules: [InThePast()] }),
  createAsUser: given<string>(() => String),
  displayIconUrl: given<string>(() => String),
  ...computed(() => String, 'url'),
  content: constant(() => String, null),
  projectAttachment: constant(() => typeNamed('ProjectAttachment'), null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    CustomerNeed: CustomerNeed;
  }
}

export const customerNeeds = declareEntity('CustomerNeed', CustomerNeed, {
  alias: 'cn',
  payloadKey: 'need',
  access: seenWithAll(seenWithAny('Issue', 'issueId'), seenWithAny('Project', 'projectId')),
  listed: listedLive,
  event: { word: 'customerNeed', fires: true },
  mutations: ['archive', 'unarchive'],
  seeds: {
    under: 'customerId',
    as: 'needs',
    filled: ({ creatorId }) => ({ creatorId }),
  },
  changes: { name: 'customer_need' },
});

addFilterKey('Issue', 'customerCount', needsOf('issue_id'));
addFilterKey('Issue', 'customerImportantCount', needsOf('issue_id', true));
addFilterKey('Project', 'customerCount', needsOf('project_id'));
addFilterKey('Project', 'customerImportantCount', needsOf('project_id', true));

/** Needs that an issue had before they moved. */
export const { formerNeeds } = connectionsOf('Issue', { formerNeeds: of('CustomerNeed', 'original_issue_id') });
