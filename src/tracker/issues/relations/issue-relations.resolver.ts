import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { DateTime } from '../../graphql/scalars.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { issueRelationships } from './issue-relation.entity.js';
import { IssueRelationsService } from './issue-relations.service.js';

const { types } = issueRelationships;

/** docs/reference/tracker.md#issuerelation. */
@Resolver(() => types.Type)
@WithEntity(issueRelationships)
export class IssueRelationsResolver extends EntityResolver(issueRelationships) {
  constructor(private readonly relations: IssueRelationsService) {
    super(relations);
  }

  @Mutation(() => types.Payload)
  issueRelationCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input', { type: () => types.CreateInput }) input: object,
    @Args('overrideCreatedAt', { type: () => DateTime, nullable: true }) createdAt?: Date | null,
  ): unknown {
    return this.relations.create(viewer, input as never, createdAt ?? undefined);
  }
}
