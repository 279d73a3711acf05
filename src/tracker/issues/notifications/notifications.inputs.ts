import { ArgsType, InputType, registerEnumType } from '@nestjs/graphql';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { DateComparator, IDComparator, StringComparator } from '../../graphql/filters.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import { ExactlyOneOf, IssueReference, NewId, NotNull, Reference, Texts } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { TARGETS } from './notification-subscription.entity.js';

export enum SubscriptionKind {
  customView = 'customView',
  customer = 'customer',
  cycle = 'cycle',
  document = 'document',
  initiative = 'initiative',
  issue = 'issue',
  label = 'label',
  oauthClientApproval = 'oauthClientApproval',
  project = 'project',
  pullRequest = 'pullRequest',
  team = 'team',
  user = 'user',
  workflowDefinition = 'workflowDefinition',
}
registerEnumType(SubscriptionKind, { name: 'NotificationSubscriptionType' });

@InputType()
export class NotificationSubscriptionTypeComparator {
  @OptionalField(() => SubscriptionKind) eq?: SubscriptionKind | null;
  @OptionalField(() => SubscriptionKind) neq?: SubscriptionKind | null;
  @OptionalField(() => [SubscriptionKind]) in?: SubscriptionKind[] | null;
  @OptionalField(() => [SubscriptionKind]) nin?: SubscriptionKind[] | null;
}

@InputType()
export class NotificationFilter {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => DateComparator) archivedAt?: DateComparator | null;
  @OptionalField(() => StringComparator) type?: StringComparator | null;
  @OptionalField(() => NotificationSubscriptionTypeComparator)
  subscriptionType?: NotificationSubscriptionTypeComparator | null;
  @OptionalField(() => [NotificationFilter]) and?: NotificationFilter[] | null;
  @OptionalField(() => [NotificationFilter]) or?: NotificationFilter[] | null;
}

@ArgsType()
export class NotificationsArgs extends PageArgs {
  @OptionalField(() => NotificationFilter) filter?: NotificationFilter | null;
}

@UpdateInput()
export class NotificationUpdateInput {
  @OptionalField(() => DateTime) readAt?: Date | null;
  @OptionalField(() => DateTime) snoozedUntilAt?: Date | null;
  @OptionalField(() => String) @Reference() projectUpdateId?: string | null;
  @OptionalField(() => String) @Reference() initiativeUpdateId?: string | null;
}

@UpdateInput()
export class InboxNotificationUpdateInput {
  @OptionalField(() => Boolean) @NotNull() read?: boolean;
  @OptionalField(() => DateTime) snoozedUntilAt?: Date | null;
}

/** The properties of the input that name what notifications are about, and one notification itself. */
export const ABOUT = [
  'issueId',
  'projectId',
  'initiativeId',
  'projectUpdateId',
  'initiativeUpdateId',
  'oauthClientApprovalId',
] as const;

@CreateInput()
export class NotificationEntityInput {
  @OptionalField(() => String) @Reference() @ExactlyOneOf(['id', ...ABOUT]) id?: string;
  @OptionalField(() => String) @IssueReference() issueId?: string;
  @OptionalField(() => String) @Reference() projectId?: string;
  @OptionalField(() => String) @Reference() initiativeId?: string;
  @OptionalField(() => String) @Reference() projectUpdateId?: string;
  @OptionalField(() => String) @Reference() initiativeUpdateId?: string;
  @OptionalField(() => String) @Reference() oauthClientApprovalId?: string;
}

@CreateInput()
export class NotificationSubscriptionCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @OptionalField(() => String) @Reference() @ExactlyOneOf(Object.keys(TARGETS)) teamId?: string;
  @OptionalField(() => String) @Reference() projectId?: string;
  @OptionalField(() => String) @Reference() cycleId?: string;
  @OptionalField(() => String) @Reference() labelId?: string;
  @OptionalField(() => String) @Reference() initiativeId?: string;
  @OptionalField(() => String) @Reference() customerId?: string;
  @OptionalField(() => String) @Reference() customViewId?: string;
  @OptionalField(() => String) @Reference() userId?: string;
  @OptionalField(() => [String]) @Texts() notificationSubscriptionTypes?: string[];
  @OptionalField(() => Boolean) includeSubInitiativeUpdates?: boolean;
  @OptionalField(() => Boolean) active?: boolean;
}

@UpdateInput()
export class NotificationSubscriptionUpdateInput {
  @OptionalField(() => [String]) @NotNull() @Texts() notificationSubscriptionTypes?: string[];
  @OptionalField(() => Boolean) @NotNull() includeSubInitiativeUpdates?: boolean;
  @OptionalField(() => Boolean) @NotNull() active?: boolean;
}
