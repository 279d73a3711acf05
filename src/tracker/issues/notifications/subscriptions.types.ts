import type { Type } from '@nestjs/common';
import { Field, ID, InterfaceType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { ConnectionOf } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { MutationPayload } from '../../graphql/payloads.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';
import { type NotificationSubscription, type Target, TARGETS } from './notification-subscription.entity.js';

export enum ContextViewType {
  activeCycle = 'activeCycle',
  activeIssues = 'activeIssues',
  backlog = 'backlog',
  triage = 'triage',
  upcomingCycle = 'upcomingCycle',
}
registerEnumType(ContextViewType, { name: 'ContextViewType' });

export enum UserContextViewType {
  assigned = 'assigned',
}
registerEnumType(UserContextViewType, { name: 'UserContextViewType' });

const targets = Object.keys(TARGETS) as Target[];

/** `LabelNotificationSubscription`, of those with a `labelId`. */
const wireNameOf = (target: Target): string =>
  `${target.charAt(0).toUpperCase()}${target.slice(1, -2)}NotificationSubscription`;

/** What all subscriptions have (docs/reference/tracker-notifications.md#subscriptions). */
@InterfaceType('NotificationSubscription', {
  resolveType: (row: NotificationSubscription) => wireNameOf(targets.find((target) => row[target] !== null) as Target),
})
export abstract class NotificationSubscriptionType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt: Date | null = null;
  @Field() active!: boolean;
  @Field() includeSubInitiativeUpdates!: boolean;
  @Field(() => typeNamed('User')) subscriber!: object;
  @OptionalField(() => ContextViewType) contextViewType: ContextViewType | null = null;
  @OptionalField(() => UserContextViewType) userContextViewType: UserContextViewType | null = null;
}

/** The fields that show the targets; one of them is never null in each type. */
function showTargets(type: Type<object>, own?: Target): void {
  for (const target of targets) {
    const wire = () => typeNamed(TARGETS[target]);
    Field(wire, { nullable: target !== own })(type.prototype as object, target.replace(/Id$/, ''));
  }
}

const Interface = NotificationSubscriptionType as unknown as new () => NotificationSubscriptionType;
showTargets(Interface);

/** The types that implement it, one for each target. */
export const subscriptionTypes: readonly Type<object>[] = targets.map((target) => {
  const name = wireNameOf(target);
  const type = { [name]: class extends Interface {} }[name] as Type<object>;
  Field(() => [String])(type.prototype as object, 'notificationSubscriptionTypes');
  showTargets(type, target);
  ObjectType(name, { implements: () => [Interface] })(type);
  return type;
});

@ObjectType()
export class NotificationSubscriptionConnection extends ConnectionOf(Interface) {}

@ObjectType()
export class CustomViewHasSubscribersPayload {
  @Field() hasSubscribers!: boolean;
}

@ObjectType()
export class NotificationSubscriptionPayload extends MutationPayload {
  @Field(() => Interface) notificationSubscription!: NotificationSubscriptionType;
}
