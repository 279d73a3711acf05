import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import type { Viewer } from '../../access/viewer.js';
import { WithEntity } from '../../entity/resolver.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { derived, page, relationsOf } from '../../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { LabelGroupType } from '../../labels/label-group.js';
import { organizationById } from '../../organization/organization.loaders.js';
import { type PageArgs, page as pageOf } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { initiatives } from '../initiative.entity.js';
import {
  type InitiativeLabel,
  initiativeLabels,
  initiativesOfLabel,
  labelsOfInitiative,
} from './initiative-label.entity.js';
import { InitiativeLabelsService } from './initiative-labels.service.js';

const { types } = initiativeLabels;
type Create = Parameters<InitiativeLabelsService['create']>[1];
type Update = Parameters<InitiativeLabelsService['update']>[2];

/** docs/reference/tracker.md#initiativelabel. */
@Resolver(() => types.Type)
@WithEntity(
  initiativeLabels,
  relationsOf<InitiativeLabel>(() => types.Type, {
    groupType: derived(({ isGroup }) => (isGroup ? LabelGroupType.singleSelect : null)),
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
    initiatives: page(() => initiatives.types.Connection, initiativesOfLabel, {
      filter: () => initiatives.types.Filter,
      sort: () => [initiatives.types.SortInput],
    }),
  }),
  relationsOf(() => initiatives.types.Type, {
    labels: page(() => types.Connection, labelsOfInitiative, { filter: () => types.Filter }),
  }),
)
export class InitiativeLabelsResolver {
  constructor(
    private readonly db: Db,
    private readonly service: InitiativeLabelsService,
  ) {}

  @Query(() => types.Type)
  initiativeLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.door.visible(viewer, id);
  }

  @Query(() => types.Connection)
  initiativeLabels(@LoadersOf() { viewer, now }: Loaders, @Args({ type: () => types.ListArgs }) args: PageArgs) {
    return pageOf(this.db, 'InitiativeLabel', { viewer, now, args });
  }

  @Mutation(() => types.Payload)
  initiativeLabelCreate(@ViewerOf() viewer: Viewer, @Args('input', { type: () => types.CreateInput }) input: Create) {
    return this.service.create(viewer, input, false);
  }

  @Mutation(() => types.Payload)
  initiativeLabelUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input', { type: () => types.UpdateInput }) input: Update,
  ) {
    return this.service.update(viewer, id, input, false);
  }

  @Mutation(() => DeletePayload)
  initiativeLabelDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }

  @Mutation(() => types.Payload)
  initiativeLabelRetire(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.retire(viewer, id);
  }

  @Mutation(() => types.Payload)
  initiativeLabelRestore(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.restore(viewer, id);
  }
}
