import { Args, Field, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { DeletePayload, MutationPayload } from '../../graphql/payloads.js';
import { derived, page, relationsOf } from '../../graphql/relations.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { IssueType } from '../../issues/issues.types.js';
import { notFound } from '../../values/errors.js';
import { issueUrl } from '../../values/urls.js';
import { type CustomerNeed, customerNeeds, formerNeeds } from './customer-need.entity.js';
import { CustomerNeedsService } from './customer-needs.service.js';

const { types } = customerNeeds;

@ObjectType()
class CustomerNeedUpdatePayload extends MutationPayload {
  @Field(() => types.Type) need!: object;
  @Field(() => [types.Type]) updatedRelatedNeeds!: object[];
}

@InputType()
class CustomerNeedCreateFromAttachmentInput {
  @Field() attachmentId!: string;
}

const former = { formerNeeds: page(() => types.Connection, formerNeeds, { filter: () => types.Filter }) };

/** docs/reference/tracker.md#customerneed. */
@Resolver(() => types.Type)
@WithEntity(
  customerNeeds,
  relationsOf<CustomerNeed>(() => types.Type, {
    url: derived(async ({ issueId }, load, _args, { web }) => {
      const issue = await load.row('Issue', issueId);
      return issue && issueUrl(web, load.viewer.urlKey, issue);
    }),
  }),
  relationsOf(() => IssueType, former),
)
export class CustomerNeedsResolver extends EntityResolver(customerNeeds) {
  constructor(private readonly needs: CustomerNeedsService) {
    super(needs);
  }

  @Query(() => types.Type, { name: 'customerNeed' })
  override one(
    @ViewerOf() viewer: Viewer,
    @Args('id', { type: () => String, nullable: true }) id?: string | null,
    @Args('hash', { type: () => String, nullable: true }) hash?: string | null,
  ): unknown {
    if (typeof id === 'string') return this.needs.one(viewer, id);
    if (typeof hash === 'string') return this.needs.byHash(viewer, hash);
    throw notFound('CustomerNeed');
  }

  @Mutation(() => types.Payload)
  customerNeedCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input', { type: () => types.CreateInput }) input: object,
  ): unknown {
    return this.needs.create(viewer, input as never);
  }

  @Mutation(() => types.Payload)
  customerNeedCreateFromAttachment(
    @ViewerOf() viewer: Viewer,
    @Args('input') { attachmentId }: CustomerNeedCreateFromAttachmentInput,
  ): unknown {
    return this.needs.createFromAttachment(viewer, attachmentId);
  }

  @Mutation(() => CustomerNeedUpdatePayload)
  customerNeedUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input', { type: () => types.UpdateInput }) input: object,
    @Args('clearAttachment', { type: () => Boolean, nullable: true }) clearAttachment?: boolean | null,
  ): unknown {
    return this.needs.change(viewer, id, input as never, clearAttachment === true);
  }

  @Mutation(() => DeletePayload)
  customerNeedDelete(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('keepAttachment', { type: () => Boolean, nullable: true }) keepAttachment?: boolean | null,
  ): unknown {
    return this.needs.remove(viewer, id, keepAttachment === true);
  }
}
