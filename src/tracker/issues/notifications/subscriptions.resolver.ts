import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { PageArgs } from '../../graphql/connections.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import type { Loaders } from '../../query/loaders.js';
import { NotificationSubscriptionCreateInput, NotificationSubscriptionUpdateInput } from './notifications.inputs.js';
import { SubscriptionsService } from './subscriptions.service.js';
import {
  CustomViewHasSubscribersPayload,
  NotificationSubscriptionConnection,
  NotificationSubscriptionType,
  NotificationSubscriptionPayload,
} from './subscriptions.types.js';

/** docs/reference/tracker-notifications.md#subscriptions. */
@Resolver(() => NotificationSubscriptionType)
export class NotificationSubscriptionsResolver {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @Query(() => NotificationSubscriptionType)
  notificationSubscription(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.subscriptions.one(viewer, id);
  }

  @Query(() => NotificationSubscriptionConnection)
  notificationSubscriptions(@LoadersOf() load: Loaders, @Args() args: PageArgs) {
    return this.subscriptions.list(load, args);
  }

  @Query(() => CustomViewHasSubscribersPayload)
  customViewHasSubscribers(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.subscriptions.haveView(viewer, id);
  }

  @Mutation(() => NotificationSubscriptionPayload)
  notificationSubscriptionCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: NotificationSubscriptionCreateInput,
  ) {
    return this.subscriptions.create(viewer, input);
  }

  @Mutation(() => NotificationSubscriptionPayload)
  notificationSubscriptionUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: NotificationSubscriptionUpdateInput,
  ) {
    return this.subscriptions.update(viewer, id, input);
  }

  @Mutation(() => DeletePayload)
  notificationSubscriptionDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.subscriptions.delete(viewer, id);
  }
}
