import { WithRelations } from '../../graphql/relations.js';
import { issueLabelFilterRelations, issueLabelRelations, ownersOfLabelsRelations } from './labels.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import type { Loaders } from '../../query/loaders.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { IssueLabelFilter } from './labels.filters.js';
import { IssueLabelCreateInput, IssueLabelUpdateInput } from './labels.inputs.js';
import { LabelsService } from './labels.service.js';
import { IssueLabelConnection, IssueLabelPayload, IssueLabelType } from './labels.types.js';

@ArgsType()
class IssueLabelsArgs extends PageArgs {
  @OptionalField(() => IssueLabelFilter) filter?: IssueLabelFilter | null;
}

/** docs/reference/tracker.md#issuelabel. */
@Resolver(() => IssueLabelType)
@WithRelations(issueLabelFilterRelations, issueLabelRelations, ...ownersOfLabelsRelations)
export class LabelsResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: LabelsService,
  ) {}

  @Query(() => IssueLabelType)
  issueLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.labels.visible(viewer, id);
  }

  @Query(() => IssueLabelConnection)
  issueLabels(@LoadersOf() { viewer, now }: Loaders, @Args() args: IssueLabelsArgs) {
    return page(this.db, 'IssueLabel', { viewer, now, args });
  }

  @Mutation(() => IssueLabelPayload)
  issueLabelCreate(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: IssueLabelCreateInput,
    @Args('replaceTeamLabels', { type: () => Boolean, nullable: true }) replaceTeamLabels?: boolean | null,
  ) {
    return this.service.create(viewer, input, replaceTeamLabels === true);
  }

  @Mutation(() => IssueLabelPayload)
  issueLabelUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: IssueLabelUpdateInput,
    @Args('replaceTeamLabels', { type: () => Boolean, nullable: true }) replaceTeamLabels?: boolean | null,
  ) {
    return this.service.update(viewer, id, input, replaceTeamLabels === true);
  }

  @Mutation(() => DeletePayload)
  issueLabelDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }

  @Mutation(() => IssueLabelPayload)
  issueLabelRetire(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.retire(viewer, id);
  }

  @Mutation(() => IssueLabelPayload)
  issueLabelRestore(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.restore(viewer, id);
  }
}
