import { Args, ArgsType, Int, Query, Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { OptionalField } from '../graphql/fields.js';
import { always, derived, filterRelations, nullable, page, relationsOf } from '../graphql/relations.js';
import { LoadersOf } from '../graphql/viewer-of.js';
import { IssueType } from '../issues/issues.types.js';
import type { Issue } from '../issues/issue.entity.js';
import type { Organization } from '../organization/organization.entity.js';
import { organizationById } from '../organization/organization.loaders.js';
import { OrganizationType } from '../organization/organization.types.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectType } from '../projects/projects.types.js';
import type { Loaders } from '../store/loaders.js';
import type { Team } from '../teams/team.entity.js';
import { TeamType } from '../teams/teams.types.js';
import { inOrder, type Template, templates, templatesOfTeam } from './template.entity.js';
import { TemplatesService } from './templates.service.js';

const { types } = templates;

@ArgsType()
class TemplateSearchArgs {
  @OptionalField(() => types.Filter) filter?: object | null;
  @OptionalField(() => Int) first?: number | null;
  @OptionalField(() => Boolean) includeArchived?: boolean | null;
}

const lastApplied = nullable<{ lastAppliedTemplateId: string | null }>(
  () => types.Type,
  ({ lastAppliedTemplateId }, load) => load.row('Template', lastAppliedTemplateId),
);
const asked = { lastAppliedTemplate: () => types.NullableFilter };
const pageArgs = { filter: () => types.NullableFilter };

/** docs/reference/tracker.md#template. */
@Resolver(() => types.Type)
@WithEntity(
  templates,
  relationsOf<Template>(() => types.Type, {
    organization: derived(({ organizationId }, load) => load.by(organizationById, organizationId)),
  }),
  relationsOf<Issue>(() => IssueType, {
    lastAppliedTemplate: lastApplied,
    recurringIssueTemplate: always(() => types.Type, null),
  }),
  relationsOf<Project>(() => ProjectType, { lastAppliedTemplate: lastApplied }),
  relationsOf<Team>(() => TeamType, {
    defaultTemplateForMembers: nullable(
      () => types.Type,
      (team, load) => load.row('Template', team.defaultTemplateForMembersId),
    ),
    defaultTemplateForNonMembers: nullable(
      () => types.Type,
      (team, load) => load.row('Template', team.defaultTemplateForNonMembersId),
    ),
    defaultProjectTemplate: nullable(
      () => types.Type,
      (team, load) => load.row('Template', team.defaultProjectTemplateId),
    ),
    templates: page(() => types.Connection, templatesOfTeam, pageArgs),
  }),
  relationsOf<Organization>(() => OrganizationType, {
    templates: page(
      () => types.Connection,
      (_organization, { viewer, now }, args, { db }) => inOrder(db, { viewer, now, args, where: ofWorkspace }),
      pageArgs,
    ),
  }),
  filterRelations(() => ['IssueFilter', 'NullableIssueFilter', 'IssueCollectionFilter'], asked),
  filterRelations(() => ['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], asked),
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
