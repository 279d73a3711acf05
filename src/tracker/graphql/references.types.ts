import { Field, Float, ID, ObjectType, createUnionType, registerEnumType } from '@nestjs/graphql';
import { DateTime, JSONObject, type JsonObject } from './scalars.js';
import { OptionalField } from './fields.js';

/**
 * Types that exist for references only (docs/reference/tracker.md#operations). Nothing ever produces one: every field
 * of these types is null or an empty list, and their fields are those which the SDK's documents select.
 */

@ObjectType()
export class IntegrationsSettings {
  @Field(() => ID) id!: string;
}

@ObjectType()
export class TriageResponsibility {
  @Field(() => ID) id!: string;
}

export enum ExternalSyncService {
  github = 'github',
  jira = 'jira',
  slack = 'slack',
}
registerEnumType(ExternalSyncService, { name: 'ExternalSyncService' });

export enum IntegrationService {
  airbyte = 'airbyte',
  asksWeb = 'asksWeb',
  datadog = 'datadog',
  discord = 'discord',
  email = 'email',
  figma = 'figma',
  figmaPlugin = 'figmaPlugin',
  front = 'front',
  github = 'github',
  githubCodeAccessPersonal = 'githubCodeAccessPersonal',
  githubCommit = 'githubCommit',
  githubEnterpriseServer = 'githubEnterpriseServer',
  githubImport = 'githubImport',
  githubPersonal = 'githubPersonal',
  gitlab = 'gitlab',
  gong = 'gong',
  googleCalendarPersonal = 'googleCalendarPersonal',
  googleSheets = 'googleSheets',
  intercom = 'intercom',
  jira = 'jira',
  jiraPersonal = 'jiraPersonal',
  launchDarkly = 'launchDarkly',
  launchDarklyPersonal = 'launchDarklyPersonal',
  loom = 'loom',
  mcpServer = 'mcpServer',
  mcpServerPersonal = 'mcpServerPersonal',
  microsoftPersonal = 'microsoftPersonal',
  microsoftTeams = 'microsoftTeams',
  microsoftTeamsProjectPost = 'microsoftTeamsProjectPost',
  notion = 'notion',
  opsgenie = 'opsgenie',
  origin = 'origin',
  pagerDuty = 'pagerDuty',
  salesforce = 'salesforce',
  sentry = 'sentry',
  slack = 'slack',
  slackAsks = 'slackAsks',
  slackCustomViewNotifications = 'slackCustomViewNotifications',
  slackInitiativePost = 'slackInitiativePost',
  slackOrgInitiativeUpdatesPost = 'slackOrgInitiativeUpdatesPost',
  slackOrgProjectUpdatesPost = 'slackOrgProjectUpdatesPost',
  slackPersonal = 'slackPersonal',
  slackPost = 'slackPost',
  slackProjectPost = 'slackProjectPost',
  slackProjectUpdatesPost = 'slackProjectUpdatesPost',
  zendesk = 'zendesk',
}
registerEnumType(IntegrationService, { name: 'IntegrationService' });

export enum Day {
  Friday = 'Friday',
  Monday = 'Monday',
  Saturday = 'Saturday',
  Sunday = 'Sunday',
  Thursday = 'Thursday',
  Tuesday = 'Tuesday',
  Wednesday = 'Wednesday',
}
registerEnumType(Day, { name: 'Day' });

@ObjectType()
export class ExternalEntityInfoGithubMetadata {
  @OptionalField(() => Float) number?: number | null;
  @OptionalField(() => String) owner?: string | null;
  @OptionalField(() => String) repo?: string | null;
}

@ObjectType()
export class ExternalEntityInfoJiraMetadata {
  @OptionalField(() => String) issueKey?: string | null;
  @OptionalField(() => String) issueTypeId?: string | null;
  @OptionalField(() => String) projectId?: string | null;
}

@ObjectType()
export class ExternalEntitySlackMetadata {
  @OptionalField(() => String) channelId?: string | null;
  @OptionalField(() => String) channelName?: string | null;
  @Field() isFromSlack!: boolean;
  @OptionalField(() => String) messageUrl?: string | null;
}

export const ExternalEntityInfoMetadata = createUnionType({
  name: 'ExternalEntityInfoMetadata',
  types: () => [ExternalEntityInfoGithubMetadata, ExternalEntityInfoJiraMetadata, ExternalEntitySlackMetadata] as const,
});

@ObjectType()
export class ActorBot {
  @OptionalField(() => ID) id?: string | null;
  @OptionalField(() => String) avatarUrl?: string | null;
  @OptionalField(() => String) name?: string | null;
  @OptionalField(() => String) subType?: string | null;
  @Field() type!: string;
  @OptionalField(() => String) userDisplayName?: string | null;
}

@ObjectType()
export class AiPromptRules {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
}

@ObjectType()
export class WelcomeMessage {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field() enabled!: boolean;
  @OptionalField(() => String) title?: string | null;
  @Field(() => DateTime) updatedAt!: Date;
}

@ObjectType()
export class DocumentContent {
  @Field(() => ID) id!: string;
  @OptionalField(() => AiPromptRules) aiPromptRules?: AiPromptRules | null;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @OptionalField(() => String) content?: string | null;
  @OptionalField(() => String) contentState?: string | null;
  @Field(() => DateTime) createdAt!: Date;
  @OptionalField(() => DateTime) restoredAt?: Date | null;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => WelcomeMessage) welcomeMessage?: WelcomeMessage | null;
}

@ObjectType()
export class ExternalEntityInfo {
  @Field() id!: string;
  @Field(() => ExternalSyncService) service!: ExternalSyncService;
  @OptionalField(() => ExternalEntityInfoMetadata) metadata?: typeof ExternalEntityInfoMetadata | null;
}

@ObjectType()
export class PaidSubscription {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @OptionalField(() => DateTime) cancelAt?: Date | null;
  @OptionalField(() => DateTime) canceledAt?: Date | null;
  @Field() collectionMethod!: string;
  @Field(() => DateTime) createdAt!: Date;
  @OptionalField(() => DateTime) nextBillingAt?: Date | null;
  @OptionalField(() => String) pendingChangeType?: string | null;
  @Field(() => Float) seats!: number;
  @OptionalField(() => Float) seatsMaximum?: number | null;
  @OptionalField(() => Float) seatsMinimum?: number | null;
  @Field() type!: string;
  @Field(() => DateTime) updatedAt!: Date;
}

@ObjectType()
export class SyncedExternalThread {
  @OptionalField(() => ID) id?: string | null;
  @OptionalField(() => String) displayName?: string | null;
  @Field() isConnected!: boolean;
  @Field() isPersonalIntegrationConnected!: boolean;
  @Field() isPersonalIntegrationRequired!: boolean;
  @OptionalField(() => String) name?: string | null;
  @OptionalField(() => String) subType?: string | null;
  @Field() type!: string;
  @OptionalField(() => String) url?: string | null;
}

@ObjectType()
export class IssueImport {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @OptionalField(() => String) creatorId?: string | null;
  @OptionalField(() => String) csvFileUrl?: string | null;
  @Field() displayName!: string;
  @OptionalField(() => String) error?: string | null;
  @OptionalField(() => JSONObject) errorMetadata?: JsonObject | null;
  @OptionalField(() => JSONObject) mapping?: JsonObject | null;
  @OptionalField(() => Float) progress?: number | null;
  @Field() service!: string;
  @OptionalField(() => JSONObject) serviceMetadata?: JsonObject | null;
  @Field() status!: string;
  @OptionalField(() => String) teamName?: string | null;
  @Field(() => DateTime) updatedAt!: Date;
}
