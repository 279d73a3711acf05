import type { Type } from '@nestjs/common';
import { Field, ID, ObjectType, registerEnumType, type ReturnTypeFunc } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime, JSONObject, type JsonObject } from '../../graphql/scalars.js';
import { NotificationType } from './notifications.types.js';
import { ContextViewType, UserContextViewType } from './subscriptions.types.js';

/*
 * Notifications of what is not here (docs/reference/tracker-notifications.md#notifications). Nothing ever makes one: they
 * are types because the SDK's documents name them, with the fields that those select.
 */

export enum OAuthClientApprovalStatus {
  approved = 'approved',
  denied = 'denied',
  requested = 'requested',
}
registerEnumType(OAuthClientApprovalStatus, { name: 'OAuthClientApprovalStatus' });

@ObjectType()
export class OauthClientApproval {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @OptionalField(() => String) denyReason?: string | null;
  @OptionalField(() => [String]) newlyRequestedScopes?: string[] | null;
  @Field() oauthClientId!: string;
  @OptionalField(() => String) requestReason?: string | null;
  @Field() requesterId!: string;
  @OptionalField(() => String) responderId?: string | null;
  @Field(() => [String]) scopes!: string[];
  @Field(() => OAuthClientApprovalStatus) status!: OAuthClientApprovalStatus;
  @Field(() => DateTime) updatedAt!: Date;
}

@ObjectType()
export class ProductAnnouncement {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() campaignId!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field() description!: string;
  @Field() headline!: string;
  @Field() kind!: string;
  @Field() title!: string;
  @Field(() => DateTime) updatedAt!: Date;
}

@ObjectType()
export class UsageAlert {
  @Field(() => ID) id!: string;
}

/** An enum by its words, which are its values. */
function enumOf(name: string, ...words: string[]): object {
  const made = Object.fromEntries(words.map((word) => [word, word]));
  registerEnumType(made, { name });
  return made;
}

const WorkflowActivationMode = enumOf(
  'WorkflowActivationMode',
  'anyUpdate',
  'collectionChanged',
  'conditionsStartedMatching',
  'watchedPropertyChanged',
);
const WorkflowDefinitionEditAccess = enumOf(
  'WorkflowDefinitionEditAccess',
  'everyone',
  'owner',
  'teamOwners',
  'workspaceAdmins',
);
const WorkflowIntelligence = enumOf('WorkflowIntelligence', 'auto', 'high', 'low', 'medium');
const WorkflowTrigger = enumOf(
  'WorkflowTrigger',
  'addedToMergeQueue',
  'chatMessagePosted',
  'chatReactionAdded',
  'commentAdded',
  'commentResolved',
  'customerRequestAdded',
  'cycleEnded',
  'cycleStarted',
  'entityCreated',
  'entityCreatedOrUpdated',
  'entityRemoved',
  'entityUnarchived',
  'entityUpdated',
  'removedFromMergeQueue',
  'reviewSubmitted',
  'updatePosted',
  'webhookReceived',
);
const WorkflowTriggerType = enumOf(
  'WorkflowTriggerType',
  'chat',
  'cycle',
  'document',
  'initiative',
  'issue',
  'project',
  'pullRequest',
  'release',
  'schedule',
  'team',
  'webhook',
);
const WorkflowType = enumOf(
  'WorkflowType',
  'automation',
  'release',
  'sla',
  'triage',
  'triageAutomation',
  'viewSubscription',
);

@ObjectType()
export class WorkflowDefinition {
  @Field(() => ID) id!: string;
  @OptionalField(() => WorkflowActivationMode) activationMode?: string | null;
  @Field(() => JSONObject) activities!: JsonObject;
  @Field() applyToSubTeams!: boolean;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @OptionalField(() => String) color?: string | null;
  @OptionalField(() => JSONObject) conditions?: JsonObject | null;
  @OptionalField(() => ContextViewType) contextViewType?: ContextViewType | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => typeNamed('User')) creator!: object;
  @OptionalField(() => typeNamed('CustomView')) customView?: object | null;
  @OptionalField(() => typeNamed('Cycle')) cycle?: object | null;
  @OptionalField(() => String) description?: string | null;
  @OptionalField(() => WorkflowDefinitionEditAccess) editAccess?: string | null;
  @Field() enabled!: boolean;
  @OptionalField(() => String) groupName?: string | null;
  @OptionalField(() => String) icon?: string | null;
  @OptionalField(() => typeNamed('Initiative')) initiative?: object | null;
  @OptionalField(() => WorkflowIntelligence) intelligence?: string | null;
  @OptionalField(() => typeNamed('IssueLabel')) label?: object | null;
  @OptionalField(() => DateTime) lastExecutedAt?: Date | null;
  @OptionalField(() => typeNamed('User')) lastUpdatedBy?: object | null;
  @Field() name!: string;
  @OptionalField(() => typeNamed('User')) owner?: object | null;
  @OptionalField(() => typeNamed('Project')) project?: object | null;
  @Field() restrictEditing!: boolean;
  @Field() runOnce!: boolean;
  @OptionalField(() => JSONObject) schedule?: JsonObject | null;
  @Field() slugId!: string;
  @Field() sortOrder!: string;
  @OptionalField(() => JSONObject) stats?: JsonObject | null;
  @OptionalField(() => typeNamed('Team')) team?: object | null;
  @Field(() => WorkflowTrigger) trigger!: string;
  @Field(() => WorkflowTriggerType) triggerType!: string;
  @Field(() => WorkflowType) type!: string;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => typeNamed('User')) user?: object | null;
  @OptionalField(() => UserContextViewType) userContextViewType?: UserContextViewType | null;
}

const Interface = NotificationType as unknown as Type<object>;

/** A type of notifications with these fields besides. */
function notification(
  name: string,
  fields: Readonly<Record<string, ReturnTypeFunc>>,
  optional: Readonly<Record<string, ReturnTypeFunc>> = {},
): Type<object> {
  const type = { [name]: class extends Interface {} }[name] as Type<object>;
  const prototype = type.prototype as object;
  for (const [field, of] of Object.entries(fields)) Field(of)(prototype, field);
  for (const [field, of] of Object.entries(optional)) OptionalField(of)(prototype, field);
  ObjectType(name, { implements: () => [Interface] })(type);
  return type;
}

const text = (): typeof String => String;

export const neverMade: readonly Type<object>[] = [
  notification(
    'CustomerNeedNotification',
    { customerNeed: () => typeNamed('CustomerNeed'), customerNeedId: text },
    { relatedIssue: () => typeNamed('Issue'), relatedProject: () => typeNamed('Project') },
  ),
  notification('CustomerNotification', { customer: () => typeNamed('Customer'), customerId: text }),
  notification('OauthClientApprovalNotification', {
    oauthClientApproval: () => OauthClientApproval,
    oauthClientApprovalId: text,
  }),
  notification('PostNotification', { postId: text }, { commentId: text, parentCommentId: text, reactionEmoji: text }),
  notification('ProductAnnouncementNotification', {
    productAnnouncement: () => ProductAnnouncement,
    productAnnouncementId: text,
  }),
  notification('PullRequestNotification', { pullRequestId: text }, { pullRequestCommentId: text }),
  notification('UsageAlertNotification', { usageAlert: () => UsageAlert, usageAlertId: text }),
  notification('WelcomeMessageNotification', { welcomeMessageId: text }),
  notification('WorkflowDefinitionNotification', {
    workflowDefinition: () => WorkflowDefinition,
    workflowDefinitionId: text,
  }),
  notification('WorkspaceAnnouncementNotification', { workspaceAnnouncementId: text }),
];
