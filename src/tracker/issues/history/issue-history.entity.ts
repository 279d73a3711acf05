import { Field, Float, ObjectType } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import type { BotActor } from '../../access/bot-actor.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, constant, json, reference } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { ActorBot, IssueImport } from '../../graphql/references.types.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime, TimelessDate } from '../../graphql/scalars.js';

/** How an entry tells of a relation: `ab`, `rxd` … (docs/reference/tracker.md#issuehistory). */
@ObjectType()
export class IssueRelationHistoryPayload {
  @Field() identifier!: string;
  @Field() type!: string;
}

const user = () => typeNamed('User');

/** What an entry says of changed fields. Only those that changed are there. */
export interface IssueChange {
  fromTitle?: string;
  toTitle?: string;
  fromPriority?: number;
  toPriority?: number;
  fromEstimate?: number;
  toEstimate?: number;
  fromDueDate?: string;
  toDueDate?: string;
  updatedDescription?: true;
  addedLabelIds?: string[];
  removedLabelIds?: string[];
  addedToReleaseIds?: string[];
  removedFromReleaseIds?: string[];
  archived?: boolean;
  trashed?: boolean;
  attachmentId?: string;
  /** The application that acted as itself. */
  botActor?: BotActor;
  /** With the team of the other issue: whom it is hidden from is not told of it. */
  relationChanges?: (IssueRelationHistoryPayload & { teamId?: string })[];
  /** `fromStateId`, `toStateId` and the like of what an issue refers to. */
  [reference: `${'from' | 'to'}${string}Id`]: string;
}

/** What one mutation changed of an issue (docs/reference/tracker.md#issuehistory). */
@Entity('issue_history')
@Index('issue_history_page', ['organizationId', 'createdAt', 'id'])
@Index('issue_history_of_issue', ['issueId', 'createdAt', 'id'])
export class IssueHistory extends rowOf({
  issueId: reference('Issue', { onDelete: 'CASCADE', owner: true, backed: 'history' }),
  actorId: reference('User', { nullable: true, idShown: true }),
  changes: json({ default: {}, shown: false }),
  ...computed(() => String, 'fromTitle', 'toTitle'),
  ...computed(() => Float, 'fromPriority', 'toPriority', 'fromEstimate', 'toEstimate'),
  ...computed(() => TimelessDate, 'fromDueDate', 'toDueDate'),
  ...computed(() => Boolean, 'updatedDescription', 'archived', 'trashed'),
  ...computed(() => [String], 'addedLabelIds', 'removedLabelIds', 'addedToReleaseIds', 'removedFromReleaseIds'),
  ...computed(() => String, 'fromStateId', 'toStateId', 'fromAssigneeId', 'toAssigneeId', 'fromCycleId', 'toCycleId'),
  ...computed(() => String, 'fromProjectId', 'toProjectId', 'fromParentId', 'toParentId', 'fromTeamId', 'toTeamId'),
  ...computed(() => String, 'attachmentId'),
  ...computed(() => ActorBot, 'botActor'),
  ...computed(() => [IssueRelationHistoryPayload], 'relationChanges'),
  ...computed(() => typeNamed('WorkflowState'), 'fromState', 'toState'),
  ...computed(user, 'fromAssignee', 'toAssignee', 'fromDelegate', 'toDelegate'),
  ...computed(() => [typeNamed('User')], 'actors', 'descriptionUpdatedBy'),
  ...computed(() => typeNamed('Cycle'), 'fromCycle', 'toCycle'),
  ...computed(() => typeNamed('Project'), 'fromProject', 'toProject'),
  ...computed(() => typeNamed('ProjectMilestone'), 'fromProjectMilestone', 'toProjectMilestone'),
  ...computed(() => typeNamed('Issue'), 'fromParent', 'toParent'),
  ...computed(() => typeNamed('Team'), 'fromTeam', 'toTeam'),
  ...computed(() => [typeNamed('IssueLabel')], 'addedLabels', 'removedLabels'),
  ...computed(() => [typeNamed('Release')], 'addedToReleases', 'removedFromReleases'),
  ...computed(() => typeNamed('Attachment'), 'attachment'),
  archivedAt: constant(() => DateTime, null),
  autoArchived: constant(() => Boolean, null),
  autoClosed: constant(() => Boolean, null),
  customerNeedId: constant(() => String, null),
  fromSlaBreached: constant(() => Boolean, null),
  fromSlaBreachesAt: constant(() => DateTime, null),
  fromSlaStartedAt: constant(() => DateTime, null),
  fromSlaType: constant(() => String, null),
  toSlaBreached: constant(() => Boolean, null),
  toSlaBreachesAt: constant(() => DateTime, null),
  toSlaStartedAt: constant(() => DateTime, null),
  toSlaType: constant(() => String, null),
  issueImport: constant(() => IssueImport, null),
  toConvertedProject: constant(() => typeNamed('Project'), null),
  toConvertedProjectId: constant(() => String, null),
  triageResponsibilityAutoAssigned: constant(() => Boolean, null),
  triageResponsibilityNotifiedUsers: constant(() => [typeNamed('User')], null),
  triageResponsibilityTeam: constant(() => typeNamed('Team'), null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    IssueHistory: IssueHistory;
  }
}

export const issueHistory = declareEntity('IssueHistory', IssueHistory, {
  alias: 'ih',
  access: accessWith('Issue', 'issueId'),
  isUnfiltered: true,
  changes: { name: 'history' },
});
