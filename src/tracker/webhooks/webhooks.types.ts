import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../graphql/scalars.js';
import { OptionalField } from '../graphql/fields.js';
import { ConnectionOf } from '../graphql/connections.js';
import { MutationPayload } from '../graphql/payloads.js';

/**
 * What a webhook may be set to (docs/reference/tracker.md#webhook).
 */
export const WEBHOOK_RESOURCE_TYPES = [
  'AgentSessionEvent',
  'AppUserNotification',
  'Attachment',
  'Comment',
  'Customer',
  'CustomerNeed',
  'Cycle',
  'Document',
  'Initiative',
  'InitiativeLabel',
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'IssueSLA',
  'OAuthAuthorization',
  'PermissionChange',
  'Project',
  'ProjectLabel',
  'ProjectUpdate',
  'Reaction',
  'Release',
  'ReleaseNote',
  'User',
];

/** docs/reference/tracker.md#webhook. */
@ObjectType('Webhook')
export class WebhookType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @OptionalField(() => String) url?: string | null;
  @OptionalField(() => String) label?: string | null;
  @Field(() => [String]) resourceTypes!: string[];
  @Field() allPublicTeams!: boolean;
  @Field() enabled!: boolean;
  @OptionalField(() => String) secret?: string | null;
}

@ObjectType()
export class WebhookConnection extends ConnectionOf(WebhookType) {}

@ObjectType()
export class WebhookPayload extends MutationPayload {
  @Field(() => WebhookType) webhook!: WebhookType;
}

@ObjectType()
export class WebhookRotateSecretPayload extends MutationPayload {
  @Field() secret!: string;
}
