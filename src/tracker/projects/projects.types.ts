import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, TimelessDate } from '../graphql/scalars.js';
import { OptionalField } from '../graphql/fields.js';
import { ConnectionOf } from '../graphql/connections.js';
import { MutationPayload, ArchivePayloadOf } from '../graphql/payloads.js';
import { constantsOf } from '../graphql/constants.js';
import { IntegrationsSettings, DocumentContent, ExternalEntityInfo, Day } from '../graphql/references.types.js';

export enum DateResolutionType {
  halfYear = 'halfYear',
  month = 'month',
  quarter = 'quarter',
  year = 'year',
}
registerEnumType(DateResolutionType, { name: 'DateResolutionType' });

export enum FrequencyResolutionType {
  daily = 'daily',
  weekly = 'weekly',
}
registerEnumType(FrequencyResolutionType, { name: 'FrequencyResolutionType' });

export enum ProjectUpdateHealthType {
  atRisk = 'atRisk',
  offTrack = 'offTrack',
  onTrack = 'onTrack',
}
registerEnumType(ProjectUpdateHealthType, { name: 'ProjectUpdateHealthType' });

/** docs/reference/tracker.md#project. */
@ObjectType('Project')
export class ProjectType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() name!: string;
  @Field() description!: string;
  @OptionalField(() => String) content?: string | null;
  @Field() slugId!: string;
  @Field() url!: string;
  @OptionalField(() => String) icon?: string | null;
  @Field() color!: string;
  /** The type of its status: deprecated, but still asked for. */
  @Field() state!: string;
  @Field(() => Int) priority!: number;
  @Field() priorityLabel!: string;
  @Field(() => Float) sortOrder!: number;
  @Field(() => Float) prioritySortOrder!: number;
  @OptionalField(() => TimelessDate) startDate?: string | null;
  @OptionalField(() => DateResolutionType) startDateResolution?: DateResolutionType | null;
  @OptionalField(() => TimelessDate) targetDate?: string | null;
  @OptionalField(() => DateResolutionType) targetDateResolution?: DateResolutionType | null;
  @OptionalField(() => DateTime) startedAt?: Date | null;
  @OptionalField(() => DateTime) completedAt?: Date | null;
  @OptionalField(() => DateTime) canceledAt?: Date | null;
  /** In points, of issues that are neither archived nor canceled. */
  @Field(() => Float) scope!: number;
  @Field(() => Float) progress!: number;
  @OptionalField(() => ProjectUpdateHealthType) health?: ProjectUpdateHealthType | null;
  @Field(() => [String]) labelIds!: string[];
  @OptionalField(() => Boolean) trashed?: boolean | null;

  // Always the same.
  @OptionalField(() => DateTime) readonly autoArchivedAt: Date | null = null;
  @Field(() => [Float]) readonly completedIssueCountHistory: number[] = [];
  @Field(() => [Float]) readonly completedScopeHistory: number[] = [];
  @OptionalField(() => DocumentContent) readonly documentContent: DocumentContent | null = null;
  @Field(() => FrequencyResolutionType) readonly frequencyResolution: FrequencyResolutionType =
    FrequencyResolutionType.weekly;
  @Field(() => [Float]) readonly inProgressScopeHistory: number[] = [];
  @OptionalField(() => IntegrationsSettings) readonly integrationsSettings: IntegrationsSettings | null = null;
  @Field(() => [Float]) readonly issueCountHistory: number[] = [];
  @OptionalField(() => String) readonly microsoftTeamsChannelId: string | null = null;
  @OptionalField(() => DateTime) readonly projectUpdateRemindersPausedUntilAt: Date | null = null;
  @Field(() => Int) readonly resourceCount: number = 0;
  @Field(() => [Float]) readonly scopeHistory: number[] = [];
  @OptionalField(() => String) readonly slackChannelId: string | null = null;
  @Field() readonly slackIssueComments: boolean = false;
  @Field() readonly slackIssueStatuses: boolean = false;
  @Field() readonly slackNewIssue: boolean = false;
  @OptionalField(() => [ExternalEntityInfo]) readonly syncedWith: ExternalEntityInfo[] | null = null;
  @OptionalField(() => Float) readonly updateReminderFrequency: number | null = null;
  @OptionalField(() => Float) readonly updateReminderFrequencyInWeeks: number | null = null;
  @OptionalField(() => Day) readonly updateRemindersDay: Day | null = null;
  @OptionalField(() => Float) readonly updateRemindersHour: number | null = null;
}

@ObjectType()
export class ProjectConnection extends ConnectionOf(ProjectType) {}

@ObjectType()
export class ProjectPayload extends MutationPayload {
  @OptionalField(() => ProjectType) project?: ProjectType | null;
}

@ObjectType()
export class ProjectArchivePayload extends ArchivePayloadOf(ProjectType) {}

export const projectConstants = constantsOf(ProjectType);
