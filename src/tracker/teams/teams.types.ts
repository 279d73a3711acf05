import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, JSONObject, type JsonObject } from '../graphql/scalars.js';
import { OptionalField } from '../graphql/fields.js';
import { ConnectionOf } from '../graphql/connections.js';
import { MutationPayload, ArchivePayloadOf } from '../graphql/payloads.js';
import { constantsOf } from '../graphql/constants.js';
import { IntegrationsSettings, TriageResponsibility } from '../graphql/references.types.js';

export enum TeamVisibility {
  private = 'private',
  public = 'public',
  restricted = 'restricted',
}
registerEnumType(TeamVisibility, { name: 'TeamVisibility' });

/** docs/reference/tracker.md#team. */
@ObjectType('Team')
export class TeamType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() key!: string;
  @Field() name!: string;
  /** The name: there are no sub-teams to prefix it with. */
  @Field() displayName!: string;
  @OptionalField(() => String) description?: string | null;
  @OptionalField(() => String) color?: string | null;
  @OptionalField(() => String) icon?: string | null;
  @Field() private!: boolean;
  @Field(() => TeamVisibility) visibility!: TeamVisibility;
  @Field() timezone!: string;
  @Field() cyclesEnabled!: boolean;
  /** Weeks; no cycle starts by itself. */
  @Field(() => Float) cycleDuration!: number;
  /** 0 is Sunday. */
  @Field(() => Float) cycleStartDay!: number;
  @Field(() => Float) cycleCooldownTime!: number;
  @Field(() => Float) upcomingCycleCount!: number;
  @Field() cycleIssueAutoAssignStarted!: boolean;
  @Field() cycleIssueAutoAssignCompleted!: boolean;
  @Field() cycleLockToActive!: boolean;
  /** The misspelling is part of the API. */
  @Field() cycleCalenderUrl!: string;
  @Field() issueEstimationType!: string;
  @Field() issueEstimationAllowZero!: boolean;
  @Field() issueEstimationExtended!: boolean;
  @Field(() => Float) defaultIssueEstimate!: number;
  @Field(() => Float) autoArchivePeriod!: number;
  @OptionalField(() => String) defaultTemplateForMembersId?: string | null;
  @OptionalField(() => String) defaultTemplateForNonMembersId?: string | null;
  @OptionalField(() => Float) autoClosePeriod?: number | null;
  @OptionalField(() => String) autoCloseStateId?: string | null;
  @OptionalField(() => Boolean) autoCloseParentIssues?: boolean | null;
  @OptionalField(() => Boolean) autoCloseChildIssues?: boolean | null;
  @Field() setIssueSortOrderOnStateChange!: string;
  @Field() groupIssueHistory!: boolean;

  // Always the same.
  @Field() readonly aiDiscussionSummariesEnabled: boolean = false;
  @Field() readonly aiThreadSummariesEnabled: boolean = false;
  @OptionalField(() => Boolean) readonly allMembersCanJoin: boolean | null = true;
  @Field() readonly inheritIssueEstimation: boolean = false;
  @Field() readonly inheritWorkflowStatuses: boolean = false;
  @Field() readonly initiativesEnabled: boolean = false;
  @OptionalField(() => IntegrationsSettings) readonly integrationsSettings: IntegrationsSettings | null = null;
  @Field() readonly inviteHash: string = '';
  @Field() readonly issueOrderingNoPriorityFirst: boolean = false;
  @Field() readonly issueSortOrderDefaultToBottom: boolean = false;
  @Field(() => Int) readonly ledInitiativeCount: number = 0;
  @Field() readonly requirePriorityToLeaveTriage: boolean = false;
  @OptionalField(() => DateTime) readonly retiredAt: Date | null = null;
  @OptionalField(() => String) readonly scimGroupName: string | null = null;
  @Field() readonly scimManaged: boolean = false;
  @Field(() => JSONObject) readonly securitySettings: JsonObject = {};
  @Field() readonly slackIssueComments: boolean = false;
  @Field() readonly slackIssueStatuses: boolean = false;
  @Field() readonly slackNewIssue: boolean = false;
  @Field() readonly triageEnabled: boolean = false;
  @OptionalField(() => TriageResponsibility) readonly triageResponsibility: TriageResponsibility | null = null;
  @Field() readonly viewerCanJoin: boolean = false;
  @Field() readonly viewerCanLeave: boolean = false;
}

@ObjectType()
export class TeamConnection extends ConnectionOf(TeamType) {}

@ObjectType()
export class TeamPayload extends MutationPayload {
  @OptionalField(() => TeamType) team?: TeamType | null;
}

@ObjectType()
export class TeamArchivePayload extends ArchivePayloadOf(TeamType) {}

/** docs/reference/tracker.md#teammembership. */
@ObjectType('TeamMembership')
export class TeamMembershipType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() owner!: boolean;
  /** Where the team stands in its user's list. */
  @Field(() => Float) sortOrder!: number;

  // Always the same.
  @OptionalField(() => DateTime) readonly archivedAt: Date | null = null;
}

@ObjectType()
export class TeamMembershipConnection extends ConnectionOf(TeamMembershipType) {}

export const teamConstants = constantsOf(TeamType);
export const teamMembershipConstants = constantsOf(TeamMembershipType);
