import { WithRelations } from '../graphql/relations.js';
import { organizationRelations, userReferenceRelations } from './organization.relations.js';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { ViewerOf } from '../graphql/viewer-of.js';
import { Access } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import { OrganizationUpdateInput } from './organization.inputs.js';
import { OrganizationService } from './organization.service.js';
import { OrganizationExistsPayload, OrganizationPayload, OrganizationType } from './organization.types.js';

/** The caller's organization (docs/reference/tracker.md#organization). */
@Resolver(() => OrganizationType)
@WithRelations(organizationRelations, ...userReferenceRelations)
export class OrganizationResolver {
  constructor(
    private readonly access: Access,
    private readonly service: OrganizationService,
  ) {}

  @Query(() => OrganizationType)
  organization(@ViewerOf() viewer: Viewer) {
    return this.access.organization(viewer);
  }

  @Query(() => OrganizationExistsPayload)
  async organizationExists(@Args('urlKey') urlKey: string): Promise<OrganizationExistsPayload> {
    return { exists: await this.service.exists(urlKey), success: true };
  }

  @Mutation(() => OrganizationPayload)
  organizationUpdate(@ViewerOf() viewer: Viewer, @Args('input') input: OrganizationUpdateInput) {
    return this.service.update(viewer, input);
  }
}
