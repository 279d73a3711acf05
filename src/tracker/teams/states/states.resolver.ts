import { WithRelations } from '../../graphql/relations.js';
import { workflowStateFilterRelations, workflowStateRelations } from './states.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import type { Loaders } from '../../query/loaders.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { WorkflowStateFilter } from './states.filters.js';
import { WorkflowStateCreateInput, WorkflowStateUpdateInput } from './states.inputs.js';
import { StatesService } from './states.service.js';
import {
  WorkflowStateArchivePayload,
  WorkflowStateConnection,
  WorkflowStatePayload,
  WorkflowStateType,
} from './states.types.js';

@ArgsType()
class WorkflowStatesArgs extends PageArgs {
  @OptionalField(() => WorkflowStateFilter) filter?: WorkflowStateFilter | null;
}

/** Workflow states (docs/reference/tracker.md#workflowstate). */
@Resolver(() => WorkflowStateType)
@WithRelations(workflowStateFilterRelations, workflowStateRelations)
export class StatesResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: StatesService,
  ) {}

  @Query(() => WorkflowStateType)
  workflowState(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.states.visible(viewer, id);
  }

  @Query(() => WorkflowStateConnection)
  workflowStates(@LoadersOf() { viewer, now }: Loaders, @Args() args: WorkflowStatesArgs) {
    return page(this.db, 'WorkflowState', { viewer, now, args });
  }

  @Mutation(() => WorkflowStatePayload)
  workflowStateCreate(@ViewerOf() viewer: Viewer, @Args('input') input: WorkflowStateCreateInput) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => WorkflowStatePayload)
  workflowStateUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: WorkflowStateUpdateInput,
  ) {
    return this.service.update(viewer, id, input);
  }

  @Mutation(() => WorkflowStateArchivePayload)
  workflowStateArchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.archive(viewer, id);
  }
}
