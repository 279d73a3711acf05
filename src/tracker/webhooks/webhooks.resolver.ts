import { WithRelations } from '../graphql/relations.js';
import { webhookRelations, webhooksOfTeamRelations } from './webhooks.relations.js';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../kernel/database/db.js';
import { PageArgs } from '../graphql/connections.js';
import { DeletePayload } from '../graphql/payloads.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import { Access } from '../access/access.js';
import type { Loaders } from '../query/loaders.js';
import { page } from '../query/page.js';
import type { Viewer } from '../access/viewer.js';
import { WebhookCreateInput, WebhookUpdateInput } from './webhooks.inputs.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhookConnection, WebhookPayload, WebhookRotateSecretPayload, WebhookType } from './webhooks.types.js';

/** Webhooks (docs/reference/tracker.md#webhook). */
@Resolver(() => WebhookType)
@WithRelations(webhookRelations, webhooksOfTeamRelations)
export class WebhooksResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: WebhooksService,
  ) {}

  @Query(() => WebhookType)
  webhook(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    this.service.requireAdmin(viewer);
    return this.access.webhooks.visible(viewer, id);
  }

  @Query(() => WebhookConnection)
  webhooks(@LoadersOf() { viewer, now }: Loaders, @Args() args: PageArgs) {
    this.service.requireAdmin(viewer);
    return page(this.db, 'Webhook', { viewer, now, args });
  }

  @Mutation(() => WebhookPayload)
  webhookCreate(@ViewerOf() viewer: Viewer, @Args('input') input: WebhookCreateInput) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => WebhookPayload)
  webhookUpdate(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('input') input: WebhookUpdateInput) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => WebhookRotateSecretPayload)
  webhookRotateSecret(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.rotateSecret(viewer, id);
  }

  @Mutation(() => DeletePayload)
  webhookDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }
}
