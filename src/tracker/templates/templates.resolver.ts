import { Args, ArgsType, Int, Query, Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { OptionalField } from '../graphql/fields.js';
import { derived, page, relationsOf } from '../graphql/relations.js';
import { LoadersOf } from '../graphql/viewer-of.js';
import type { Organization } from '../store/organization.entity.js';
import { organizationById } from '../organization/organization.loaders.js';
import { OrganizationType } from '../organization/organization.types.js';
import type { Loaders } from '../query/loaders.js';
import { inOrder, type Template, templates } from './template.entity.js';
import { TemplatesService } from './templates.service.js';

const { types } = templates;

@ArgsType()
class TemplateSearchArgs {
  @OptionalField(() => types.Filter) filter?: object | null;
  @OptionalField(() => Int) first?: number | null;
  @OptionalField(() => Boolean) includeArchived?: boolean | null;
}

/** docs/reference/tracker.md#template. */
@Resolver(() => types.Type)
@WithEntity(
  templates,
  relationsOf<Template>(() => types.Type, {
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
  }),
  relationsOf<Organization>(() => OrganizationType, {
    templates: page(
      () => types.Connection,
      (_organization, { viewer, now }, args, { db }) => inOrder(db, { viewer, now, args, where: ofWorkspace }),
      { filter: () => types.NullableFilter },
    ),
  }),
)
export class TemplatesResolver extends EntityResolver(templates) {
  constructor(private readonly own: TemplatesService) {
    super(own);
  }

  @Query(() => [types.Type])
  templates(@LoadersOf() load: Loaders): Promise<Template[]> {
    return this.own.plainList(load);
  }

  @Query(() => [types.Type])
  templateSearch(@LoadersOf() load: Loaders, @Args() args: TemplateSearchArgs): Promise<Template[]> {
    return this.own.plainList(load, args);
  }
}

/** The workspace's own, without those of teams. */
const ofWorkspace = (alias: string): string => `${alias}.team_id IS NULL`;
