import { typeNamed } from '../graphql/relations.js';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, JSONObject, type JsonObject } from '../graphql/scalars.js';
import { OptionalField } from '../graphql/fields.js';
import { MutationPayload } from '../graphql/payloads.js';
import { constantsOf } from '../graphql/constants.js';
import { PaidSubscription, Day } from '../graphql/references.types.js';

export enum FeedSummarySchedule {
  daily = 'daily',
  never = 'never',
  weekly = 'weekly',
}
registerEnumType(FeedSummarySchedule, { name: 'FeedSummarySchedule' });

export enum ProjectUpdateReminderFrequency {
  month = 'month',
  never = 'never',
  twoWeeks = 'twoWeeks',
  week = 'week',
}
registerEnumType(ProjectUpdateReminderFrequency, { name: 'ProjectUpdateReminderFrequency' });

export enum ReleaseChannel {
  beta = 'beta',
  development = 'development',
  internal = 'internal',
  preRelease = 'preRelease',
  privateBeta = 'privateBeta',
  public = 'public',
}
registerEnumType(ReleaseChannel, { name: 'ReleaseChannel' });

export enum SLADayCountType {
  all = 'all',
  onlyBusinessDays = 'onlyBusinessDays',
}
registerEnumType(SLADayCountType, { name: 'SLADayCountType' });

/** docs/reference/tracker.md#organization. */
@ObjectType('Organization')
export class OrganizationType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() name!: string;
  @Field() urlKey!: string;
  /** The last three given up, newest first. */
  @Field(() => [String]) previousUrlKeys!: string[];
  @OptionalField(() => String) logoUrl?: string | null;
  @OptionalField(() => String) gitBranchFormat?: string | null;
  /** 0 is January. */
  @Field(() => Float) fiscalYearStartMonth!: number;
  @Field(() => Int) userCount!: number;
  @Field(() => Int) createdIssueCount!: number;

  // Always the same.
  @Field() readonly aiDiscussionSummariesEnabled: boolean = false;
  @Field() readonly aiThreadSummariesEnabled: boolean = false;
  @OptionalField(() => Boolean) readonly allowMembersToInvite: boolean | null = true;
  @Field(() => [String]) readonly allowedAuthServices: string[] = [];
  @OptionalField(() => [String]) readonly allowedFileUploadContentTypes: string[] | null = null;
  @OptionalField(() => DateTime) readonly archivedAt: Date | null = null;
  @Field(() => JSONObject) readonly authSettings: JsonObject = {};
  @Field(() => Int) customerCount!: number;
  @Field(() => JSONObject) readonly customersConfiguration: JsonObject = {};
  @Field() readonly customersEnabled: boolean = false;
  @OptionalField(() => FeedSummarySchedule) readonly defaultFeedSummarySchedule: FeedSummarySchedule | null = null;
  @OptionalField(() => String) readonly defaultHomeView: string | null = null;
  @OptionalField(() => String) readonly defaultHomeViewTargetId: string | null = null;
  @OptionalField(() => DateTime) readonly deletionRequestedAt: Date | null = null;
  @Field() readonly feedEnabled: boolean = false;
  @Field() readonly gitLinkbackDescriptionsEnabled: boolean = false;
  @Field() readonly gitLinkbackMessagesEnabled: boolean = false;
  @Field() readonly gitPublicLinkbackMessagesEnabled: boolean = false;
  @Field() readonly hideNonPrimaryOrganizations: boolean = false;
  @Field() readonly hipaaComplianceEnabled: boolean = false;
  @OptionalField(() => Float) readonly initiativeUpdateReminderFrequencyInWeeks: number | null = null;
  @Field(() => Day) readonly initiativeUpdateRemindersDay: Day = Day.Friday;
  @Field(() => Float) readonly initiativeUpdateRemindersHour: number = 14;
  @Field(() => Float) readonly periodUploadVolume: number = 0;
  @OptionalField(() => Float) readonly projectUpdateReminderFrequencyInWeeks: number | null = null;
  @Field(() => Day) readonly projectUpdateRemindersDay: Day = Day.Friday;
  @Field(() => Float) readonly projectUpdateRemindersHour: number = 14;
  @Field(() => ProjectUpdateReminderFrequency)
  readonly projectUpdatesReminderFrequency: ProjectUpdateReminderFrequency = ProjectUpdateReminderFrequency.never;
  @Field() readonly pullRequestIssueMode: string = 'off';
  @Field() readonly pullRequestTourEnabled: boolean = false;
  @Field(() => ReleaseChannel) readonly releaseChannel: ReleaseChannel = ReleaseChannel.public;
  @Field() readonly releasesEnabled: boolean = false;
  @OptionalField(() => Boolean) readonly restrictLabelManagementToAdmins: boolean | null = false;
  @OptionalField(() => Boolean) readonly restrictTeamCreationToAdmins: boolean | null = false;
  @Field() readonly roadmapEnabled: boolean = false;
  @Field() readonly samlEnabled: boolean = false;
  @Field() readonly scimEnabled: boolean = false;
  @Field(() => JSONObject) readonly securitySettings: JsonObject = {};
  @Field(() => SLADayCountType) readonly slaDayCount: SLADayCountType = SLADayCountType.all;
  @OptionalField(() => typeNamed('Integration')) readonly slackProjectChannelIntegration: null = null;
  @Field() readonly slackProjectChannelPrefix: string = '';
  @OptionalField(() => PaidSubscription) readonly subscription: PaidSubscription | null = null;
  @Field() readonly suggestedBranchNameEnabled: boolean = true;
  @OptionalField(() => DateTime) readonly trialEndsAt: Date | null = null;
  @OptionalField(() => DateTime) readonly trialStartsAt: Date | null = null;
}

@ObjectType()
export class OrganizationPayload extends MutationPayload {
  @OptionalField(() => OrganizationType) organization?: OrganizationType | null;
}

@ObjectType()
export class OrganizationExistsPayload {
  @Field() exists!: boolean;
  @Field() success!: boolean;
}

export const organizationConstants = constantsOf(OrganizationType);
