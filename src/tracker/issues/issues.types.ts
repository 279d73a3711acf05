import { typeNamed } from '../graphql/relations.js';
import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, TimelessDate, JSONObject, type JsonObject } from '../graphql/scalars.js';
import { OptionalField } from '../graphql/fields.js';
import { ConnectionOf } from '../graphql/connections.js';
import { MutationPayload, ArchivePayloadOf } from '../graphql/payloads.js';
import { constantsOf } from '../graphql/constants.js';
import { SearchPayloadOf } from '../graphql/search-payloads.js';
import { ActorBot, ExternalEntityInfo, IntegrationService } from '../graphql/references.types.js';

export enum IssueSharedAccessDisallowedField {
  cycleId = 'cycleId',
  projectId = 'projectId',
  projectMilestoneId = 'projectMilestoneId',
  teamId = 'teamId',
}
registerEnumType(IssueSharedAccessDisallowedField, { name: 'IssueSharedAccessDisallowedField' });

/** Nothing is shared here (docs/reference/tracker.md#issue). */
@ObjectType()
export class IssueSharedAccess {
  @Field() readonly isShared: boolean = false;
  @Field(() => Int) readonly sharedWithCount: number = 0;
  @Field() readonly viewerHasOnlySharedAccess: boolean = false;
  @Field(() => [IssueSharedAccessDisallowedField])
  readonly disallowedIssueFields: IssueSharedAccessDisallowedField[] = [];
}

/** The fields an issue has wherever it appears (docs/reference/tracker.md#issue). */
@ObjectType({ isAbstract: true })
abstract class IssueFields {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  /** Counted per team, never used again. */
  @Field(() => Float) number!: number;
  @Field() identifier!: string;
  @Field(() => [String]) previousIdentifiers!: string[];
  @Field() title!: string;
  @OptionalField(() => String) description?: string | null;
  @Field() url!: string;
  /** Depends on the caller: made on read. */
  @Field() branchName!: string;
  @Field(() => Float) priority!: number;
  @Field() priorityLabel!: string;
  @OptionalField(() => Float) estimate?: number | null;
  @OptionalField(() => TimelessDate) dueDate?: string | null;
  @Field() teamId!: string;
  @Field(() => [String]) labelIds!: string[];
  @Field(() => Float) sortOrder!: number;
  @Field(() => Float) prioritySortOrder!: number;
  /** Null without a parent. */
  @OptionalField(() => Float) subIssueSortOrder?: number | null;
  @OptionalField(() => DateTime) startedAt?: Date | null;
  @OptionalField(() => DateTime) completedAt?: Date | null;
  @OptionalField(() => DateTime) canceledAt?: Date | null;
  @OptionalField(() => DateTime) addedToTeamAt?: Date | null;
  @OptionalField(() => DateTime) addedToProjectAt?: Date | null;
  @OptionalField(() => DateTime) addedToCycleAt?: Date | null;
  /** Null once it is over. */
  @OptionalField(() => DateTime) snoozedUntilAt?: Date | null;
  @OptionalField(() => Boolean) trashed?: boolean | null;
  /** The application that made it as itself. */
  @OptionalField(() => ActorBot) botActor?: ActorBot | null;

  /** Of needs of customers. */
  @Field(() => Int) customerTicketCount!: number;

  // Always the same.
  @OptionalField(() => typeNamed('ExternalUser')) readonly asksExternalUserRequester: null = null;
  @OptionalField(() => DateTime) readonly autoArchivedAt: Date | null = null;
  @OptionalField(() => DateTime) readonly autoClosedAt: Date | null = null;
  @Field(() => Float) readonly boardOrder: number = 0;
  @OptionalField(() => typeNamed('ExternalUser')) readonly externalUserCreator: null = null;
  @Field() readonly inheritsSharedAccess: boolean = false;
  @OptionalField(() => IntegrationService) readonly integrationSourceType: IntegrationService | null = null;
  @Field(() => IssueSharedAccess) readonly sharedAccess: IssueSharedAccess = new IssueSharedAccess();
  @OptionalField(() => DateTime) readonly slaBreachesAt: Date | null = null;
  @OptionalField(() => DateTime) readonly slaHighRiskAt: Date | null = null;
  @OptionalField(() => DateTime) readonly slaMediumRiskAt: Date | null = null;
  @OptionalField(() => DateTime) readonly slaStartedAt: Date | null = null;
  @OptionalField(() => String) readonly slaType: string | null = null;
  @OptionalField(() => DateTime) readonly startedTriageAt: Date | null = null;
  @OptionalField(() => [ExternalEntityInfo]) readonly syncedWith: ExternalEntityInfo[] | null = null;
  @OptionalField(() => DateTime) readonly triagedAt: Date | null = null;
}

@ObjectType('Issue')
export class IssueType extends IssueFields {}

/** A hit of `searchIssues`. */
@ObjectType('IssueSearchResult')
export class IssueSearchResultType extends IssueFields {
  @Field(() => JSONObject) readonly metadata: JsonObject = {};
}

@ObjectType()
export class IssueConnection extends ConnectionOf(IssueType) {}

@ObjectType()
export class IssueSearchPayload extends SearchPayloadOf(IssueSearchResultType) {}

@ObjectType()
export class IssuePayload extends MutationPayload {
  @OptionalField(() => IssueType) issue?: IssueType | null;
}

@ObjectType()
export class IssueBatchPayload extends MutationPayload {
  @Field(() => [IssueType]) issues!: IssueType[];
}

@ObjectType()
export class IssueArchivePayload extends ArchivePayloadOf(IssueType) {}

@ObjectType()
export class IssuePriorityValue {
  @Field() label!: string;
  @Field(() => Int) priority!: number;
}

export const issueConstants = constantsOf(IssueType);
export const issueSharedAccessConstants = constantsOf(IssueSharedAccess);
